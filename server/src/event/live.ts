import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../base/db.ts'
import type { Log } from '../base/log.ts'
import { type Position, readEventsAfter, readPlaceOfNow } from './store.ts'

export type Live = ReturnType<typeof createLive>

const everyMs = 400
const readMax = 1_000

/**
 * Wakes whoever waits for something to happen. However many wait, one question is asked for all of them, and none while nobody
 * does. It says that something happened, and not what: who is woken reads that with his own rights.
 */
export function createLive(db: Db, log: Log) {
  /** By what they wait for: an environment or an object. */
  const waiting = new Map<string, Set<() => void>>()
  let isReading = false
  let isStopped = false

  async function read(): Promise<void> {
    isReading = true
    let place: Position | undefined
    while (waiting.size > 0 && !isStopped) {
      try {
        place ??= await readPlaceOfNow(db)
        const found = await readEventsAfter(db, place, readMax)
        for (const { environmentId, objectId } of found) for (const id of [environmentId, objectId]) wake(id)
        place = found.at(-1)?.position ?? place
        if (found.length === readMax) continue
      } catch (error) {
        log.warn({ err: error }, 'live updates wait for the database')
      }
      await sleep(everyMs)
    }
    isReading = false
  }

  function wake(id: string): void {
    for (const awake of waiting.get(id) ?? []) awake()
  }

  /** Until something happens to this environment or object, or the time is up, or nobody listens any more. */
  function wait(id: string, timeoutMs: number, signal: AbortSignal): Promise<'happened' | 'quiet' | 'over'> {
    if (isStopped || signal.aborted) return Promise.resolve('over')
    return new Promise((resolve) => {
      const end = (how: 'happened' | 'quiet' | 'over'): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', over)
        const others = waiting.get(id)
        others?.delete(awake)
        if (others?.size === 0) waiting.delete(id)
        resolve(how)
      }
      const awake = (): void => end(isStopped ? 'over' : 'happened')
      const over = (): void => end('over')
      const timer = setTimeout(() => end('quiet'), timeoutMs)
      signal.addEventListener('abort', over)
      const others = waiting.get(id) ?? new Set()
      waiting.set(id, others.add(awake))
      if (!isReading) void read()
    })
  }

  return {
    wait,
    /** Everybody is told that it is over. */
    stop: (): void => {
      isStopped = true
      for (const id of [...waiting.keys()]) wake(id)
    },
  }
}
