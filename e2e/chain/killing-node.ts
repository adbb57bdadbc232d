// Stands between a worker and its node, and is told of every question, before the node hears it and before the worker hears the answer: that
// is when the worker is killed.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Moment = 'before' | 'after'
export type KillingNode = Awaited<ReturnType<typeof startKillingNode>>

export async function startKillingNode(nodeUrl: string, onStep: (method: string, moment: Moment) => void) {
  let underWay = 0
  let isPaused = false
  const server = createServer((request, reply) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      void (async () => {
        while (isPaused) await sleep(5)
        underWay++
        const { method } = JSON.parse(text) as { method: string }
        onStep(method, 'before')
        const answer = await fetch(nodeUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: text,
        })
        const body = await answer.text()
        onStep(method, 'after')
        reply.writeHead(answer.status, { 'content-type': 'application/json' }).end(body)
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
