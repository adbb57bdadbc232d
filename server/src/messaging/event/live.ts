import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'
import { noteFailure, noteSuccess } from '../../base/outage.ts'
import { runIn } from '../../base/trace.ts'
import { heartbeatMs, type StreamEvent } from '../../http/event-stream.ts'
import { type Position, readEventsAfter, readPlaceOfNow } from './store.ts'

export type Live = {
  /** Resolves when something happens to `id`, when the time is up, or when the listener is gone. */
  readonly wait: (id: string, timeoutMs: number, signal: AbortSignal) => Promise<WaitOutcome>
  /** Ends all waits. */
  readonly stop: () => void
}

type WaitOutcome = 'happened' | 'quiet' | 'over'

const reading = { name: 'The query of live updates', failing: 'live updates wait for the database' }
const everyMs = 400
const readMax = 1_000

/** Returns the ids to which something happened since the last call. It may leave out ids that are not waited for. */
export type FindChanged = (waitedFor: readonly string[]) => Promise<{ happened: readonly string[]; isMore: boolean }>

/** Finds the environments and objects of new events. */
export function findChangedObjects(db: Db): FindChanged {
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
 * Wakes listeners when something happens. One query serves all listeners, and none runs without listeners. It reports only that
 * something happened: each listener then reads with its own permissions.
 */
export function createLive(beginLook: () => FindChanged, log: Log): Live {
  /** By the id that they wait for: an environment, an object or a user. */
  const waiting = new Map<string, Set<() => void>>()
  let isReading = false
  let isStopped = false

  async function read(): Promise<void> {
    isReading = true
    const look = beginLook()
    while (waiting.size > 0 && !isStopped) {
      try {
        const { happened, isMore } = await look([...waiting.keys()])
        noteSuccess(log, reading)
        for (const id of happened) wake(id)
        if (isMore) continue
      } catch (error) {
        noteFailure(log, reading, error)
      }
      await sleep(everyMs)
    }
    isReading = false
  }

  function wake(id: string): void {
    for (const awake of waiting.get(id) ?? []) awake()
  }

  function wait(id: string, timeoutMs: number, signal: AbortSignal): Promise<WaitOutcome> {
    if (isStopped || signal.aborted) return Promise.resolve('over')
    return new Promise((resolve) => {
      const end = (how: WaitOutcome): void => {
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
      // The loop serves all listeners, not the request that starts it.
      if (!isReading) runIn(undefined, () => void read())
    })
  }

  return {
    wait,
    stop: () => {
      isStopped = true
      for (const id of [...waiting.keys()]) wake(id)
    },
  }
}

/** Streams that something happened to `id`, without details. The page then reads them itself. */
export async function* streamChanges(
  live: Live,
  id: string,
  signal: AbortSignal,
  hasChanged = () => Promise.resolve(false),
): AsyncGenerator<StreamEvent | null> {
  const changed = { event: 'changed', data: '{}' }
  let waiting = live.wait(id, heartbeatMs, signal)
  // A change between the page's read and the start of the wait.
  if (await hasChanged()) yield changed
  for (;;) {
    const how = await waiting
    if (how === 'over') return
    // Wait again before yielding, so that no change in between is missed.
    waiting = live.wait(id, heartbeatMs, signal)
    yield how === 'quiet' ? null : changed
  }
}
