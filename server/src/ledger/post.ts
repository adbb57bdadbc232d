import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { connect, type Connection, dbError } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import { nameOf } from './account.ts'
import { type BatchTools, isRaceForName, runBatch } from './batch.ts'
import type { Decision } from './decide.ts'
import { ledgerError } from './errors.ts'
import { accountsOf, checkJournal, type Journal, type Posted } from './journal.ts'
import { accountsToLock, findBusyAccounts } from './store.ts'

export type LedgerOptions = BatchTools & {
  /** Where to connect, as a role that owns nothing. */
  readonly url: string
  /** Batches under way at once: while one waits for PostgreSQL, this process prepares another. */
  readonly lanes?: number
  readonly batchMax?: number
}

export type Ledger = {
  /** Posts in a batch with whatever else arrives now. Answers after the commit; throws what refused it. */
  readonly post: (journal: Journal) => Promise<Posted>
  readonly stats: Readonly<LedgerStats>
  /** Waits for what is under way. */
  readonly close: () => Promise<void>
}

type LedgerStats = { batches: number; deadlocks: number; lockTimeouts: number; splits: number; setAside: number }

type Waiting = {
  readonly journal: Journal
  readonly resolve: (posted: Posted) => void
  readonly reject: (error: unknown) => void
  readonly deadlineMs: number
  /** A COMMIT that carried it was not answered: until a later attempt finds out, its outcome is unknown. */
  doubted: boolean
}

type Lane = { client?: Connection; readonly queue: Waiting[]; readonly lockTimeoutMs: number; isRunning: boolean }

// An ordinary wait for a lock is a batch of somebody else, some ten milliseconds. Past this we suspect a stuck one.
const lockTimeoutMs = 250
// For those that wait on a lock that is stuck, and nobody else.
const patientLockTimeoutMs = 5_000
const patientLanesMax = 4
const answerTimeoutMs = 15_000
// How long a journal may be tried again before its caller is told.
const patienceMs = 10_000
const attemptsMax = 5

export function openLedger({ url, clock, newId, lanes: laneCount = 3, batchMax = 256 }: LedgerOptions): Ledger {
  const tools: BatchTools = { clock, newId }
  const stats: LedgerStats = { batches: 0, deadlocks: 0, lockTimeouts: 0, splits: 0, setAside: 0 }
  const lanes: Lane[] = Array.from({ length: laneCount }, () => ({ queue: [], lockTimeoutMs, isRunning: false }))
  // Accounts that somebody keeps locked, each with the lane in which its journals wait, apart from all others.
  const stuckAccounts = new Map<string, Lane>()
  const running = new Set<Promise<void>>()
  let isClosed = false
  let isScheduled = false

  const post = (journal: Journal): Promise<Posted> => {
    if (isClosed) return Promise.reject(ledgerError('LEDGER_UNAVAILABLE'))
    return new Promise((resolve, reject) => {
      checkJournal(journal)
      const waiting = { journal, resolve, reject, deadlineMs: performance.now() + patienceMs, doubted: false }
      lanes[laneOf(journal, laneCount)]?.queue.push(waiting)
      schedule()
    })
  }

  // Whatever arrives in this turn of the event loop travels together.
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      for (const lane of lanes) if (lane.queue.length > 0 && !lane.isRunning) start(lane)
    })
  }

  function start(lane: Lane): void {
    lane.isRunning = true
    const run = drain(lane).finally(() => {
      lane.isRunning = false
      running.delete(run)
      if (lane.queue.length > 0) schedule()
    })
    running.add(run)
  }

  async function drain(lane: Lane): Promise<void> {
    while (lane.queue.length > 0) {
      const batch = lane.queue.splice(0, batchMax)
      const free = lanes.includes(lane) && stuckAccounts.size > 0 ? setAsideStuck(batch) : batch
      if (free.length > 0) await drive(lane, free, 1)
    }
  }

  /** Brings every journal of the batch to an answer, or back into a queue. Never throws. */
  async function drive(lane: Lane, batch: Waiting[], attempt: number): Promise<void> {
    try {
      lane.client ??= await connectLane()
      stats.batches++
      const journals = batch.map(({ journal }) => journal)
      answer(lane, batch, await runBatch(lane.client, journals, lane.lockTimeoutMs, tools))
    } catch (error) {
      await recover(lane, batch, attempt, error)
    }
  }

  async function connectLane(): Promise<Connection> {
    return connect(url, answerTimeoutMs).catch((error: unknown) => {
      throw ledgerError('LEDGER_UNAVAILABLE', {}, error)
    })
  }

  function answer(lane: Lane, batch: Waiting[], decisions: Decision[]): void {
    const deferred: Waiting[] = []
    for (const [i, decision] of decisions.entries()) {
      const waiting = batch[i]
      if (waiting === undefined) continue
      if (decision.is === 'posted') waiting.resolve(decision.posted)
      else if (decision.is === 'refused') waiting.reject(decision.error)
      else deferred.push(waiting)
    }
    lane.queue.unshift(...deferred)
  }

  async function recover(lane: Lane, batch: Waiting[], attempt: number, error: unknown): Promise<void> {
    const isUnknown = hasCode(error, 'OUTCOME_UNKNOWN')
    // 25006: the primary that we knew has become a standby.
    if (isUnknown || hasCode(error, 'LEDGER_UNAVAILABLE', '25006')) return reconnect(lane, batch, isUnknown, error)
    if (hasCode(error, '55P03')) return setAside(lane, batch, error)
    if (hasCode(error, '40P01')) stats.deadlocks++
    const isWorthRepeating = hasCode(error, '40P01', '40001') || isRaceForName(error)
    if (isWorthRepeating && attempt < attemptsMax) return drive(lane, batch, attempt + 1)
    // PostgreSQL said that it rolled back. One of the batch is to blame: halve until it stands alone.
    const [first] = batch
    if (batch.length === 1) return first?.reject(error)
    stats.splits++
    const middle = Math.ceil(batch.length / 2)
    await drive(lane, batch.slice(0, middle), 1)
    await drive(lane, batch.slice(middle), 1)
  }

  /** The same keys are posted again on a new connection: what had been committed is then found by its key. */
  async function reconnect(lane: Lane, batch: Waiting[], isUnknown: boolean, error: unknown): Promise<void> {
    await disconnect(lane)
    if (isUnknown) for (const waiting of batch) waiting.doubted = true
    const patient = rejectLate(batch, (waiting) =>
      waiting.doubted ? dbError('OUTCOME_UNKNOWN', {}, error) : ledgerError('LEDGER_UNAVAILABLE', {}, error),
    )
    lane.queue.unshift(...patient)
    await sleep(100)
  }

  function rejectLate(batch: Waiting[], reason: (waiting: Waiting) => Error): Waiting[] {
    const nowMs = performance.now()
    return batch.filter((waiting) => {
      if (nowMs <= waiting.deadlineMs) return true
      waiting.reject(reason(waiting))
      return false
    })
  }

  /** A lock was not to be had. Finds whose, and lets those journals wait apart, so that they delay nobody else. */
  async function setAside(lane: Lane, batch: Waiting[], error: unknown): Promise<void> {
    stats.lockTimeouts++
    const patient = rejectLate(batch, (waiting) =>
      waiting.doubted ? dbError('OUTCOME_UNKNOWN', {}, error) : ledgerError('LEDGER_BUSY', {}, error),
    )
    lane.queue.unshift(...patient)
    if (!lanes.includes(lane) || lane.client === undefined) return
    const accounts = accountsToLock(patient.map(({ journal }) => journal))
    try {
      await lane.client.query('begin')
      for (const name of await findBusyAccounts(lane.client, accounts)) stuckAccounts.set(name, patientLane())
      await lane.client.query('rollback')
    } catch {
      // Nothing was lost: the journals are back in their queue, and the next attempt finds out about the connection.
      await lane.client.query('rollback').catch(() => disconnect(lane))
    }
  }

  function patientLane(): Lane {
    const known = [...new Set(stuckAccounts.values())]
    const [shared] = known
    if (known.length >= patientLanesMax && shared !== undefined) return shared
    return { queue: [], lockTimeoutMs: patientLockTimeoutMs, isRunning: false }
  }

  function setAsideStuck(batch: Waiting[]): Waiting[] {
    return batch.filter((waiting) => {
      for (const account of accountsOf(waiting.journal)) {
        const lane = stuckAccounts.get(nameOf(account))
        if (lane === undefined) continue
        stats.setAside++
        lane.queue.push(waiting)
        if (!lane.isRunning) startPatient(lane)
        return false
      }
      return true
    })
  }

  function startPatient(lane: Lane): void {
    lane.isRunning = true
    const run = drain(lane).finally(async () => {
      // Its accounts are free again: whoever comes next goes with everybody else.
      for (const [name, stuck] of stuckAccounts) if (stuck === lane) stuckAccounts.delete(name)
      running.delete(run)
      await disconnect(lane)
    })
    running.add(run)
  }

  return {
    post,
    stats,
    close: async () => {
      isClosed = true
      while (running.size > 0 || lanes.some(({ queue }) => queue.length > 0)) {
        await Promise.all([...running])
        await nextTurn()
      }
      for (const lane of lanes) await disconnect(lane)
    },
  }
}

async function disconnect(lane: Lane): Promise<void> {
  const client = lane.client
  delete lane.client
  await client?.end().catch(() => undefined)
}

/**
 * Journals that pay the same account travel in the same lane, so that the lanes seldom wait for each other's locks:
 * with 1,000 merchants and lanes filled in turn, two batches of 256 nearly always met.
 */
function laneOf({ alternatives: [{ transfers, holds }] }: Journal, laneCount: number): number {
  const account = transfers[0]?.to ?? holds?.[0]?.account
  return account === undefined ? 0 : parseInt(account.ownerId.slice(-6), 16) % laneCount
}
