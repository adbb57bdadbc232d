// The receiver of the webhooks. It runs in a thread of its own, so that it delays neither the creation of events nor the
// measurements.
import { Worker } from 'node:worker_threads'

/** How an endpoint behaves until it is repaired. */
export type Temper = 'healthy' | 'fails half' | 'hangs'

/** A message to the thread, one at a time. Each gets a response. */
export type ReceiverInput =
  | { readonly ask: 'know'; readonly secrets: readonly string[] }
  | { readonly ask: 'count' }
  | { readonly ask: 'repair' }
  | { readonly ask: 'read books' }

/** Counts of one endpoint. */
export type Count = {
  readonly arrived: number
  readonly taken: number
  readonly refused: number
  readonly held: number
}

/** What one endpoint recorded, by event. */
export type Book = {
  /** When it first arrived, accepted or not. */
  readonly firstMs: ReadonlyMap<string, number>
  /** Events that were accepted while the sender was still connected. */
  readonly taken: ReadonlySet<string>
  readonly repeats: readonly Repeat[]
  readonly badSignatures: number
}

/** An event was accepted that had been accepted before. */
export type Repeat = { readonly beforeMs: number; readonly againMs: number }

export type Receiver = {
  readonly url: (index: number) => string
  /** Sets the secrets that the endpoints verify signatures with. */
  readonly know: (secrets: readonly string[]) => Promise<null>
  readonly count: () => Promise<Count[]>
  /** Makes all endpoints healthy, and responds to the held requests. */
  readonly repair: () => Promise<null>
  readonly readBooks: () => Promise<Book[]>
  readonly stop: () => Promise<number>
}

/** One host with a path for each endpoint: one that hangs must not affect others on the same host. */
export async function startReceiver(tempers: readonly Temper[]): Promise<Receiver> {
  const thread = new Worker(new URL('receiver-thread.ts', import.meta.url), { workerData: tempers })
  const next = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      thread.once('error', reject)
      thread.once('message', (message: T) => {
        thread.off('error', reject)
        resolve(message)
      })
    })
  const ask = <T>(message: ReceiverInput): Promise<T> => {
    const response = next<T>()
    thread.postMessage(message)
    return response
  }
  const port = await next<number>()
  return {
    url: (index) => `http://127.0.0.1:${port}/${index}`,
    know: (secrets) => ask<null>({ ask: 'know', secrets }),
    count: () => ask<Count[]>({ ask: 'count' }),
    repair: () => ask<null>({ ask: 'repair' }),
    readBooks: () => ask<Book[]>({ ask: 'read books' }),
    stop: () => thread.terminate(),
  }
}
