import { connect, type Connection, createPool, type Pool } from '../base/db.ts'
import { isPooled } from '../base/pooler.ts'
import { systemTimers, type Timers } from '../base/timers.ts'
import type { BatchTools } from './batch.ts'
import { createBusyAccounts } from './busy-accounts.ts'
import { ledgerError } from './errors.ts'
import { checkJournal, type Journal, type Posted } from './journal.ts'
import { createStats, disconnect, type LedgerStats, type Poster, postBatch } from './poster.ts'
import { createScheduler } from './scheduler.ts'
import { endPosting, traceJournal } from './trace-journal.ts'
import type { Waiting } from './waiting.ts'

export type LedgerOptions = BatchTools & {
  /** Connects as a role that owns no tables. */
  readonly url: string
  /** How many batches run at once. */
  readonly lanes?: number
  readonly batchMax?: number
  /** Posts nothing in one round. For tests and benchmarks. */
  readonly isCareful?: boolean
}

export type Ledger = {
  /** Posts the journal in a batch with others that arrive now. Resolves after the commit; rejects if the journal is refused. */
  readonly post: (journal: Journal) => Promise<Posted>
  readonly stats: Readonly<LedgerStats>
  /** The journals that are not committed yet, by lane. */
  readonly queues: () => readonly LedgerQueue[]
  /** Waits for all pending journals. */
  readonly close: () => Promise<void>
}

/** `ageMs` is that of the oldest journal, or 0. */
type LedgerQueue = { readonly lane: string; readonly length: number; readonly ageMs: number }

/** What the ledger needs from its surroundings. */
export type LedgerParts = {
  readonly tools: BatchTools
  readonly timers: Timers
  /** Opens a connection for a lane. */
  readonly connect: () => Promise<Connection>
  /** Connections that wait for busy accounts. */
  readonly waiters: Pool
  readonly lanes: number
  readonly batchMax: number
  readonly isCareful: boolean
}

// A server that does not respond for this long counts as lost.
const responseTimeoutMs = 5_000
// How long a journal is retried before its caller gets an error: twice the time in which a lost server is noticed.
const patienceMs = 12_000
const waitersMax = 4
// Longer than a transaction waits for locks. The wait for a standby after the commit does not count.
const transactionTimeoutMs = 10_000

export function openLedger(options: LedgerOptions): Ledger {
  const { url, clock, newId, lanes = 3, batchMax = 128, isCareful = false } = options
  return createLedger({
    tools: { clock, newId },
    timers: systemTimers,
    connect: () => connectLane(url),
    waiters: createPool(url, waitersMax, responseTimeoutMs),
    lanes,
    batchMax,
    isCareful,
  })
}

/**
 * A connection whose transactions PostgreSQL ends itself if this machine disappears in the middle of a packet. No other timeout
 * applies there, and the locks would stay for hours. PostgreSQL before 17 has no transaction_timeout.
 */
async function connectLane(url: string): Promise<Connection> {
  const client = await connect(url, responseTimeoutMs)
  try {
    // Through a pooler, the settings would stay on a connection that others use too. The pooler then watches over us.
    if (await isPooled(client)) return client
    await client.query('set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3')
    await client.query(
      `select set_config(name, '${transactionTimeoutMs}', false) from pg_settings where name = 'transaction_timeout'`,
    )
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

export function createLedger(parts: LedgerParts): Ledger {
  const { tools, timers, connect, waiters, lanes, batchMax, isCareful } = parts
  const stats = createStats()
  const scheduler = createScheduler({
    laneCount: lanes,
    batchMax,
    timers,
    run: (lane, batch) => postBatch(poster, lane, batch),
  })
  const busy = createBusyAccounts({ waiters, timers, scheduler, onSetAside: () => stats.setAside++ })
  const poster: Poster = { tools, timers, connect, scheduler, busy, stats, isCareful }
  let isClosed = false
  return {
    post: (journal) => {
      if (isClosed) return Promise.reject(ledgerError('LEDGER_UNAVAILABLE'))
      const trace = traceJournal(journal)
      const posted = new Promise<Posted>((resolve, reject) => {
        checkJournal(journal)
        scheduler.enqueue({
          journal,
          resolve,
          reject,
          deadlineMs: timers.nowMs() + patienceMs,
          isDoubted: false,
          isLoner: false,
          trace,
        })
      })
      return trace === undefined ? posted : endPosting(trace, posted)
    },
    stats,
    queues: () => {
      // A journal of a batch that failed is in the queue again until the batch has ended.
      const describe = (lane: string, waiting: ReadonlySet<Waiting>) => describeQueue(lane, waiting, timers.nowMs())
      const lanesNow = scheduler.lanes.map((lane, n) =>
        describe(scheduler.isAlone(lane) ? 'alone' : String(n), new Set([...lane.batch, ...lane.queue])),
      )
      return [...lanesNow, describe('set_aside', new Set(busy.waiting()))]
    },
    close: async () => {
      isClosed = true
      await scheduler.finish()
      for (const lane of scheduler.lanes) await disconnect(lane)
      await waiters.end()
    },
  }
}

function describeQueue(lane: string, waiting: ReadonlySet<Waiting>, nowMs: number): LedgerQueue {
  let oldestMs = nowMs
  for (const { deadlineMs } of waiting) oldestMs = Math.min(oldestMs, deadlineMs - patienceMs)
  return { lane, length: waiting.size, ageMs: nowMs - oldestMs }
}
