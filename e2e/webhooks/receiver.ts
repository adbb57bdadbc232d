// Where the webhooks go. It lives in a thread of its own, so that taking them disturbs neither who makes events nor who looks at the
// clock.
import { Worker } from 'node:worker_threads'

/** How an endpoint answers until it is healed. */
export type Temper = 'healthy' | 'fails half' | 'hangs'

/** What the thread is asked, one at a time. It answers each. */
export type ReceiverAsk =
  | { readonly ask: 'know'; readonly secrets: readonly string[] }
  | { readonly ask: 'count' }
  | { readonly ask: 'heal' }
  | { readonly ask: 'tell' }

/** Of one endpoint, in numbers. */
export type Count = {
  readonly arrived: number
  readonly taken: number
  readonly refused: number
  readonly held: number
}

/** Of one endpoint, by event. */
export type Book = {
  /** When it first arrived, whatever became of it. */
  readonly firstMs: ReadonlyMap<string, number>
  /** Those that were answered with success, to somebody who still was there to hear it. */
  readonly taken: ReadonlySet<string>
  readonly repeats: readonly Repeat[]
  readonly badSignatures: number
}

/** Something was taken that had been taken before. */
export type Repeat = { readonly beforeMs: number; readonly againMs: number }

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** One address for all, with a path for each: one that hangs must not even disturb those that share its host. */
export async function startReceiver(tempers: readonly Temper[]) {
  const thread = new Worker(new URL('receiver-thread.ts', import.meta.url), { workerData: tempers })
  const next = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      thread.once('error', reject)
      thread.once('message', (message: T) => {
        thread.off('error', reject)
        resolve(message)
      })
    })
  const ask = <T>(message: ReceiverAsk): Promise<T> => {
    const answer = next<T>()
    thread.postMessage(message)
    return answer
  }
  const port = await next<number>()
  return {
    url: (index: number): string => `http://127.0.0.1:${port}/${index}`,
    /** What each of them verifies signatures with. */
    know: (secrets: readonly string[]) => ask<null>({ ask: 'know', secrets }),
    count: () => ask<Count[]>({ ask: 'count' }),
    /** From now on all are healthy, and what was held is answered. */
    heal: () => ask<null>({ ask: 'heal' }),
    tell: () => ask<Book[]>({ ask: 'tell' }),
    stop: () => thread.terminate(),
  }
}
