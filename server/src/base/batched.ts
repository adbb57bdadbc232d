import type { Clock } from './clock.ts'
import { activeSpan, runIn, type Span } from './trace.ts'

/**
 * Combines single reads into batches. Calls made in one turn of the event loop, or while `underWayMax` reads run, share the
 * next read. `read` returns results in the order of its inputs; if it fails, every call of the batch is rejected.
 */
export function batched<Input, Found>(
  read: (inputs: readonly Input[]) => Promise<readonly Found[]>,
  { sizeMax = 256, underWayMax = 1 }: { sizeMax?: number; underWayMax?: number } = {},
): (input: Input) => Promise<Found> {
  type Waiting = {
    input: Input
    span: Span | undefined
    resolve: (found: Found) => void
    reject: (error: unknown) => void
  }
  const queue: Waiting[] = []
  let underWay = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      while (queue.length > 0 && underWay < underWayMax) void run(queue.splice(0, sizeMax))
    })
  }

  async function run(batch: Waiting[]): Promise<void> {
    underWay++
    try {
      const found = await runIn(leading(batch), () => read(batch.map(({ input }) => input)))
      if (found.length !== batch.length)
        throw new Error('A batched read returned a different number of results than it had inputs.')
      for (const [i, { resolve }] of batch.entries()) resolve(found[i] as Found)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      underWay--
      if (queue.length > 0) schedule()
    }
  }

  return (input) =>
    new Promise((resolve, reject) => {
      queue.push({ input, span: activeSpan(), resolve, reject })
      schedule()
    })
}

/** A read is a part of the first traced request that shares it. The others are linked with that one. */
function leading(batch: readonly { readonly span: Span | undefined }[]): Span | undefined {
  let first: Span | undefined
  for (const { span } of batch) {
    first ??= span
    // A request may ask for two things at once.
    if (first !== undefined && span !== undefined && span !== first) span.link(first)
  }
  return first
}

/** Caches the result of `read` for `ms` milliseconds. For data that rarely changes and that every request needs. */
export function cachedFor<T>(ms: number, clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let cached: { value: Promise<T>; untilMs: number } | undefined
  return () => {
    const nowMs = clock().getTime()
    if (cached !== undefined && nowMs < cached.untilMs) return cached.value
    const value = read()
    cached = { value, untilMs: nowMs + ms }
    // Every waiting caller gets the failure, and it is not cached.
    value.catch(() => (cached = undefined))
    return value
  }
}
