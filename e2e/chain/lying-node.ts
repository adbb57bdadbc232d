// Stands between the platform and a node, and lies about it in every way that nodes were seen to: empty and partial receipts, blocks that
// are not there yet, a head that goes back, refusals, answers late and out of order. Never twice the same lie at once in two of them.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type LyingNode = Awaited<ReturnType<typeof startLyingNode>>
type Call = { id: number; method: string; params: unknown[] }
type Receipt = { logs: unknown[] }
/** Undefined: somebody else has to be asked. */
type Answer = (method: string, params: readonly unknown[]) => unknown

export async function startLyingNode(nodeUrl: string, share: number) {
  const asked = new Map<string, number>()
  let lies = 0
  let underWay = 0
  let isPaused = false
  let first: Answer = () => undefined

  const pass = async (call: Call): Promise<{ result?: unknown; error?: unknown }> => {
    const result = first(call.method, call.params)
    if (result !== undefined) return { result }
    const reply = await fetch(nodeUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...call }),
    })
    return (await reply.json()) as { result?: unknown; error?: unknown }
  }

  /** An answer that is not true, or nothing where this question has none. */
  async function lie(call: Call): Promise<{ status: number; body: object } | undefined> {
    const { method, params } = call
    const kind = Math.random()
    if (kind < 0.2) return { status: 429, body: { error: { message: 'too many requests' } } }
    if (method === 'eth_getBlockReceipts') {
      const { result } = (await pass(call)) as { result?: Receipt[] }
      const receipts = result ?? []
      if (kind < 0.4) return { status: 200, body: { result: [] } }
      if (kind < 0.7) return { status: 200, body: { result: receipts.slice(0, -1) } }
      return { status: 200, body: { result: receipts.map((receipt) => ({ ...receipt, logs: [] })) } }
    }
    if (method === 'eth_getBlockByNumber' && params[0] === 'finalized') {
      const { result } = (await pass({ ...call, params: ['latest', false] })) as { result?: { number: string } }
      const older = Math.max(0, Number(result?.number ?? 0) - 8)
      return { status: 200, body: await pass({ ...call, params: [`0x${older.toString(16)}`, false] }) }
    }
    // It lags.
    if (method === 'eth_getBlockByNumber' && kind < 0.6) return { status: 200, body: { result: null } }
    return undefined
  }

  const server = createServer((request, reply) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      void (async () => {
        while (isPaused) await sleep(5)
        underWay++
        const call = JSON.parse(text) as Call
        const told = Math.random() < share ? await lie(call) : undefined
        if (told !== undefined) lies++
        // Late, so that the answers of two questions change places.
        if (Math.random() < share) await sleep(Math.random() * 50)
        const { status, body } = told ?? { status: 200, body: await pass(call) }
        // Whether there is a new block is asked again and again; counted are the questions about one.
        const isAboutBlock = !('result' in body && body.result === null) && call.params[1] !== false
        if (isAboutBlock) asked.set(call.method, (asked.get(call.method) ?? 0) + 1)
        reply
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...body }))
      })()
        .catch(() => reply.destroy())
        .finally(() => underWay--)
    })
  })
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lies: () => lies,
    asked: (method: string): number => asked.get(method) ?? 0,
    /** anvil 1.7.1 ends if it is asked for the receipts of a block while it takes that block back: nobody asks meanwhile. */
    pause: async (): Promise<void> => {
      isPaused = true
      while (underWay > 0) await sleep(5)
    },
    resume: (): void => {
      isPaused = false
    },
    /** What this has an answer to, the node is not asked. */
    answerFirst: (answer: Answer): void => {
      first = answer
    },
    stop: async (): Promise<void> => {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}
