import { isRefusal } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'
import { noteFailure, noteSuccess } from '../../base/outage.ts'
import { systemTimers } from '../../base/timers.ts'
import { within } from '../../http/readiness.ts'
import { type Entry, type Recorded, toEntry } from './entry.ts'

/** Requests that ended and are not in the log yet. */
export type RequestLog = {
  /** Adds a request. Never waits and never fails. */
  readonly push: (recorded: Recorded) => void
  /** Writes what is waiting. */
  readonly flush: () => Promise<void>
  /** Writes what is waiting, and gives up after some seconds. */
  readonly close: () => Promise<void>
  /** How many requests were dropped because they could not be written in time. */
  readonly dropped: () => number
}

type BufferTools = {
  readonly write: (entries: readonly Entry[]) => Promise<void>
  readonly log: Log
}

export type BufferLimits = {
  readonly everyMs: number
  /** How many requests and bytes of bodies wait at most. */
  readonly entriesMax: number
  readonly bytesMax: number
  readonly closeMs: number
}

const usualLimits: BufferLimits = { everyMs: 500, entriesMax: 5_000, bytesMax: 4 * 1024 * 1024, closeMs: 3_000 }
const writing = { name: 'The request log', failing: 'the request log could not be written' }
const batchMax = 250
// Redacting this many bodies takes less than a millisecond.
const redactedAtOnce = 25

/**
 * Collects requests and writes them in batches, beside the requests that they are about. When the database is slow or away, the oldest
 * are dropped and counted: the log must not cost a payment its memory or its time.
 */
export function createRequestLog({ write, log }: BufferTools, limits: Partial<BufferLimits> = {}): RequestLog {
  const { everyMs, closeMs, ...sizes } = { ...usualLimits, ...limits }
  const queue = createQueue(sizes)
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined

  function schedule(): void {
    if (timer === undefined && !isClosed) timer = setTimeout(() => void flush(), everyMs).unref()
  }

  function flush(): Promise<void> {
    flushing ??= writeAll().finally(() => {
      flushing = undefined
      clearTimeout(timer)
      timer = undefined
      if (queue.length() > 0) schedule()
    })
    return flushing
  }

  async function writeAll(): Promise<void> {
    while (queue.length() > 0) {
      const batch = queue.take(batchMax)
      try {
        await write(await redact(batch))
        noteSuccess(log, writing)
      } catch (error) {
        // Values that PostgreSQL refuses would be refused again. Otherwise the batch waits, unless newer requests need its place.
        if (isRefusal(error)) queue.lose(batch.length)
        else queue.putBack(batch)
        noteFailure(log, writing, error, { waiting: queue.length(), dropped: queue.dropped() })
        return
      }
    }
  }

  return {
    push: (recorded) => {
      queue.push(recorded)
      schedule()
    },
    flush,
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      // A flush under way may have begun before the last requests.
      const written = Promise.resolve(flushing).then(flush)
      await within(closeMs, written).catch(() => undefined)
      queue.lose(queue.length())
    },
    dropped: queue.dropped,
  }
}

type Queue = {
  readonly push: (recorded: Recorded) => void
  readonly take: (count: number) => Recorded[]
  /** Returns what was taken and not written to the front. */
  readonly putBack: (batch: readonly Recorded[]) => void
  /** Counts what will never be written. */
  readonly lose: (count: number) => void
  readonly length: () => number
  readonly dropped: () => number
}

/** A queue of bounded size that drops its oldest entries. */
function createQueue({ entriesMax, bytesMax }: Pick<BufferLimits, 'entriesMax' | 'bytesMax'>): Queue {
  let waiting: Recorded[] = []
  let bytes = 0
  let dropped = 0

  function take(count: number): Recorded[] {
    const taken = waiting.splice(0, count)
    for (const each of taken) bytes -= each.bytes
    return taken
  }

  /** Removing the first of a list copies the rest, so a fifth leaves at once. */
  function dropOldest(): void {
    while (waiting.length > entriesMax || bytes > bytesMax) dropped += take(Math.ceil(waiting.length / 5)).length
  }

  return {
    push: (recorded) => {
      waiting.push(recorded)
      bytes += recorded.bytes
      dropOldest()
    },
    take,
    putBack: (batch) => {
      waiting = [...batch, ...waiting]
      for (const each of batch) bytes += each.bytes
      dropOldest()
    },
    lose: (count) => {
      dropped += count
    },
    length: () => waiting.length,
    dropped: () => dropped,
  }
}

/** Redacts a few at a time, so that requests run in between. */
async function redact(batch: readonly Recorded[]): Promise<Entry[]> {
  const entries: Entry[] = []
  for (let i = 0; i < batch.length; i += redactedAtOnce) {
    entries.push(...batch.slice(i, i + redactedAtOnce).map(toEntry))
    await systemTimers.nextTurn()
  }
  return entries
}
