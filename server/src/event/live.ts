import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../base/db.ts'
import type { Log } from '../base/log.ts'
import { heartbeatMs, type Word } from '../http/event-stream.ts'
import { type Position, readEventsAfter, readPlaceOfNow } from './store.ts'

export type Live = ReturnType<typeof createLive>

const everyMs = 400
const readMax = 1_000

/** Says to whom or what something happened since it was asked before. Of others than those waited for it need not say. */
export type Look = (waitedFor: readonly string[]) => Promise<{ happened: readonly string[]; isMore: boolean }>

/** To environments and their objects. */
export function lookAtEvents(db: Db): Look {
  let place: Position | undefined
  return async () => {
    place ??= await readPlaceOfNow(db)
    const found = await readEventsAfter(db, place, readMax)
    place = found.at(-1)?.position ?? place
    const happened = found.flatMap(({ environmentId, objectId }) => [environmentId, objectId])
    return { happened, isMore: found.length === readMax }
  }
}

/**
 * Wakes whoever waits for something to happen. However many wait, one question is asked for all of them, and none while nobody
 * does. It says that something happened, and not what: who is woken reads that with his own rights.
 */
export function createLive(beginLook: () => Look, log: Log) {
  /** By what they wait for: an environment, an object or a person. */
  const waiting = new Map<string, Set<() => void>>()
  let isReading = false
  let isStopped = false

  async function read(): Promise<void> {
    isReading = true
    const look = beginLook()
    while (waiting.size > 0 && !isStopped) {
      try {
        const { happened, isMore } = await look([...waiting.keys()])
        for (const id of happened) wake(id)
        if (isMore) continue
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

  /** Until something happens to this one, or the time is up, or nobody listens any more. */
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

/** That something happened to this one. What, the page then asks for itself. */
export async function* streamChanges(
  live: Live,
  id: string,
  signal: AbortSignal,
  hasChanged = () => Promise.resolve(false),
): AsyncGenerator<Word | null> {
  const word = { event: 'changed', data: '{}' }
  let waiting = live.wait(id, heartbeatMs, signal)
  // Between the page's look and this.
  if (await hasChanged()) yield word
  for (;;) {
    const how = await waiting
    if (how === 'over') return
    // Before it is told, so that nothing that happens meanwhile is slept through.
    waiting = live.wait(id, heartbeatMs, signal)
    yield how === 'quiet' ? null : word
  }
}
