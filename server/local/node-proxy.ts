// Stands between the platform and a node, for tests and drills of what nodes do.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
export type Told = { readonly result?: unknown; readonly error?: unknown }
/** What the platform is told, with the status of HTTP. `pass` asks the node. */
type Answer = (
  call: Call,
  pass: (call: Call) => Promise<Told>,
) => Promise<{ readonly status: number; readonly body: Told }>

export type NodeProxy = Awaited<ReturnType<typeof startNodeProxy>>

export async function startNodeProxy(nodeUrl: () => string, answer: Answer) {
  let underWay = 0
  let isPaused = false
  const pass = async (call: Call): Promise<Told> => {
    const reply = await fetch(nodeUrl(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...call }),
    })
    return (await reply.json()) as Told
  }
  const server = createServer((request, reply) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      void (async () => {
        while (isPaused) await sleep(5)
        underWay++
        const call = JSON.parse(text) as Call
        const { status, body } = await answer(call, pass)
        reply
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', ...body, id: call.id }))
      })()
        .catch(() => reply.destroy())
        .finally(() => underWay--)
    })
  })
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** anvil 1.7.1 ends if it is asked for the receipts of a block while it takes that block back: nobody asks meanwhile. */
    pause: async (): Promise<void> => {
      isPaused = true
      while (underWay > 0) await sleep(5)
    },
    resume: (): void => {
      isPaused = false
    },
    stop: async (): Promise<void> => {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}
