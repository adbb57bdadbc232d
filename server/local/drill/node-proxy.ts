// A proxy between the platform and a node, for tests and drills of misbehaving nodes.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
export type Told = { readonly result?: unknown; readonly error?: unknown }
/** Returns the HTTP status and body that the platform gets. `pass` calls the node. */
type Respond = (
  call: Call,
  pass: (call: Call) => Promise<Told>,
) => Promise<{ readonly status: number; readonly body: Told }>

export type NodeProxy = {
  readonly url: string
  /** Stops all calls. anvil 1.7.1 crashes on a call for the receipts of a block while it undoes that block. */
  readonly pause: () => Promise<void>
  readonly resume: () => void
  readonly stop: () => Promise<void>
}

export async function startNodeProxy(nodeUrl: () => string, respond: Respond): Promise<NodeProxy> {
  let inProgress = 0
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
        inProgress++
        const call = JSON.parse(text) as Call
        const { status, body } = await respond(call, pass)
        reply
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', ...body, id: call.id }))
      })()
        .catch(() => reply.destroy())
        .finally(() => inProgress--)
    })
  })
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pause: async () => {
      isPaused = true
      while (inProgress > 0) await sleep(5)
    },
    resume: () => {
      isPaused = false
    },
    stop: async () => {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}
