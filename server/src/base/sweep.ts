import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/** Work that shows in the tables until it is done. */
export type Sweep = {
  readonly name: string
  /** How long to rest when nothing was found. */
  readonly everyMs: number
  /** Does a piece of it. Says whether there was any. */
  readonly run: () => Promise<boolean>
}

const restMs = 60_000

/** What failed lets others go first for a while. */
export function createRest(clock: Clock) {
  const untilMs = new Map<string, number>()
  return {
    add: (id: string): unknown => untilMs.set(id, clock().getTime() + restMs),
    ids: (): string[] => {
      for (const [id, end] of untilMs) if (end <= clock().getTime()) untilMs.delete(id)
      return [...untilMs.keys()]
    },
  }
}

/**
 * Runs each of them over and over, until stopped. They need no queue: what is undone is found by looking, and a worker that dies
 * leaves it as undone as it was. What fails is logged and tried again.
 */
export function startSweeps(sweeps: readonly Sweep[], log: Log): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping

  async function repeat({ name, everyMs, run }: Sweep): Promise<void> {
    while (!signal.aborted) {
      const hasFound = await run().catch((error: unknown) => {
        log.error({ err: error, sweep: name }, 'work failed and is tried again')
        return false
      })
      if (!hasFound) await sleep(everyMs, undefined, { signal }).catch(() => undefined)
    }
  }

  const running = Promise.all(sweeps.map(repeat))
  return {
    /** Finishes the pieces under way. */
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
