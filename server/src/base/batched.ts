import type { Clock } from './clock.ts'

/**
 * Reads together what is asked for together. Whatever arrives in one turn of the event loop, or while `underWayMax` reads
 * are under way, waits for the next one. `read` answers in the order of its asks; its failure is told to each of them.
 */
export function batched<Ask, Found>(
  read: (asks: readonly Ask[]) => Promise<readonly Found[]>,
  { sizeMax = 256, underWayMax = 1 }: { sizeMax?: number; underWayMax?: number } = {},
): (ask: Ask) => Promise<Found> {
  type Waiting = { ask: Ask; resolve: (found: Found) => void; reject: (error: unknown) => void }
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
      const found = await read(batch.map(({ ask }) => ask))
      if (found.length !== batch.length) throw new Error('A read answered for more or fewer than had asked.')
      for (const [i, { resolve }] of batch.entries()) resolve(found[i] as Found)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      underWay--
      if (queue.length > 0) schedule()
    }
  }

  return (ask) =>
    new Promise((resolve, reject) => {
      queue.push({ ask, resolve, reject })
      schedule()
    })
}

/** Reads again when what was read is older than this. For what seldom changes and is needed all the time. */
export function keptFor<T>(ms: number, clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let kept: { value: Promise<T>; untilMs: number } | undefined
  return () => {
    const nowMs = clock().getTime()
    if (kept !== undefined && nowMs < kept.untilMs) return kept.value
    const value = read()
    kept = { value, untilMs: nowMs + ms }
    // A failure is told to those who asked, and not kept.
    value.catch(() => (kept = undefined))
    return value
  }
}
