import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { connect, type Connection, createPool, dbError } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import { type Account, nameOf } from './account.ts'
import { type BatchTools, isDeskLimit, isRaceForName, runBatch } from './batch.ts'
import type { Decision } from './decide.ts'
import { ledgerError } from './errors.ts'
import { accountsOf, checkJournal, type Journal, type Posted } from './journal.ts'
import { findBusyAccounts, isLockable } from './store.ts'

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
  isDoubted: boolean
}

type Lane = { client?: Connection; readonly queue: Waiting[]; readonly batchMax: number; isRunning: boolean }

// An ordinary wait for a lock is a few batches of others, some ten milliseconds each. Past this we suspect a stuck one.
const lockTimeoutMs = 500
// How long a waiter asks for a stuck account before it looks whether anybody still wants it.
const stuckTimeoutMs = 1_000
const stuckConnectionsMax = 4
// A server that is silent for this long is taken for lost.
const answerTimeoutMs = 5_000
// How long a journal may be tried again before its caller is told: twice the time in which a lost server is noticed.
const patienceMs = 12_000
const attemptsMax = 5
// How many journals have to wait for a lane before it starts beside another.
const besideMin = 16

export function openLedger({ url, clock, newId, lanes: laneCount = 3, batchMax = 256 }: LedgerOptions): Ledger {
  const tools: BatchTools = { clock, newId }
  const stats: LedgerStats = { batches: 0, deadlocks: 0, lockTimeouts: 0, splits: 0, setAside: 0 }
  const lanes = Array.from({ length: laneCount }, () => createLane(batchMax))
  const beside = Math.min(besideMin, batchMax)
  // For a journal that waits for something that is no account, such as a key under way elsewhere: it delays nobody here.
  const loners = createLane(1)
  // Accounts that somebody keeps locked, each with the journals that touch it. They wait here, holding no lock.
  const stuck = new Map<string, Waiting[]>()
  const waiters = createPool(url, stuckConnectionsMax, answerTimeoutMs)
  const running = new Set<Promise<void>>()
  let isClosed = false
  let isScheduled = false

  const post = (journal: Journal): Promise<Posted> => {
    if (isClosed) return Promise.reject(ledgerError('LEDGER_UNAVAILABLE'))
    return new Promise((resolve, reject) => {
      checkJournal(journal)
      enqueue({ journal, resolve, reject, deadlineMs: performance.now() + patienceMs, isDoubted: false })
    })
  }

  function enqueue(waiting: Waiting): void {
    lanes[laneOf(waiting.journal, laneCount)]?.queue.push(waiting)
    schedule()
  }

  // Whatever arrives in this turn of the event loop travels together.
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      for (const lane of [...lanes, loners]) if (!lane.isRunning && isDue(lane)) track(drain(lane))
    })
  }

  /** A batch costs by itself: beside one that is under way another is worth starting for many journals only. */
  function isDue(lane: Lane): boolean {
    return lane.queue.length >= (lane === loners || isAlone(lane) ? 1 : beside)
  }

  function isAlone(lane: Lane): boolean {
    return lanes.every((other) => other === lane || !other.isRunning)
  }

  /** The next batch of a lane. While it is the only one under way it takes along what is too little for the others to start. */
  function take(lane: Lane): Waiting[] {
    const batch = lane.queue.splice(0, lane.batchMax)
    if (lane !== loners && isAlone(lane))
      for (const { queue } of lanes)
        if (queue.length < beside) batch.push(...queue.splice(0, lane.batchMax - batch.length))
    return batch
  }

  function track(work: Promise<void>): void {
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  async function drain(lane: Lane): Promise<void> {
    lane.isRunning = true
    while (isDue(lane)) {
      const batch = take(lane)
      const free = stuck.size > 0 ? batch.filter((waiting) => !setAsideIfStuck(waiting)) : batch
      if (free.length > 0) await drive(lane, free, 1)
    }
    lane.isRunning = false
    schedule()
  }

  /** Brings every journal of the batch to an answer, or back into a queue. Never throws. */
  async function drive(lane: Lane, batch: Waiting[], attempt: number): Promise<void> {
    try {
      lane.client ??= await connectLane()
      stats.batches++
      const journals = batch.map(({ journal }) => journal)
      answer(lane, batch, await runBatch(lane.client, journals, lockTimeoutMs, tools))
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
    return halve(lane, batch, error)
  }

  /** PostgreSQL said that it rolled back. One of the batch is to blame: halve until it stands alone. */
  async function halve(lane: Lane, batch: Waiting[], error: unknown): Promise<void> {
    const [first] = batch
    if (batch.length === 1 && first !== undefined) {
      fail(first, isDeskLimit(error) ? ledgerError('LEDGER_DESK_LIMIT', {}, error) : error)
      return
    }
    stats.splits++
    const middle = Math.ceil(batch.length / 2)
    await drive(lane, batch.slice(0, middle), 1)
    await drive(lane, batch.slice(middle), 1)
  }

  /** The same keys are posted again on a new connection: what had been committed is then found by its key. */
  async function reconnect(lane: Lane, batch: Waiting[], isUnknown: boolean, error: unknown): Promise<void> {
    await disconnect(lane)
    if (isUnknown) for (const waiting of batch) waiting.isDoubted = true
    // Those behind it in the queue as well: they would wait for the next attempt to fail, and the next.
    const all = [...batch, ...lane.queue.splice(0)]
    lane.queue.push(...failLate(all, ledgerError('LEDGER_UNAVAILABLE', {}, error)))
    await sleep(100)
  }

  /** A lock was not to be had. Whoever touches what is locked waits apart, so that it delays nobody else. */
  async function setAside(lane: Lane, batch: Waiting[], error: unknown): Promise<void> {
    stats.lockTimeouts++
    const patient = failLate(batch, ledgerError('LEDGER_BUSY', {}, error))
    const [first] = patient
    if (first === undefined) return
    const busy = await findBusy(lane, patient)
    for (const account of busy) if (!stuck.has(nameOf(account))) track(waitFor(account))
    if (busy.length > 0) lane.queue.unshift(...patient)
    else if (patient.length > 1) await halve(lane, patient, error)
    else {
      loners.queue.push(first)
      schedule()
      if (lane === loners) await sleep(100)
    }
  }

  async function findBusy(lane: Lane, batch: Waiting[]): Promise<Account[]> {
    if (lane.client === undefined) return []
    const journals = batch.map(({ journal }) => journal)
    try {
      return await findBusyAccounts(lane.client, journals)
    } catch {
      // The next attempt finds out what is wrong with the connection.
      await disconnect(lane)
      return []
    }
  }

  /** Waits for an account alone, so that nothing else stays locked meanwhile. Then its journals go with all others. */
  async function waitFor(account: Account): Promise<void> {
    const name = nameOf(account)
    const wanting: Waiting[] = []
    stuck.set(name, wanting)
    for (;;) {
      const isFree = await isLockable(waiters, account, stuckTimeoutMs).catch(() => sleep(100, true))
      const patient = failLate(wanting.splice(0), ledgerError('LEDGER_BUSY'))
      wanting.push(...patient)
      if (!isFree && patient.length > 0) continue
      stuck.delete(name)
      for (const waiting of patient) enqueue(waiting)
      return
    }
  }

  function setAsideIfStuck(waiting: Waiting): boolean {
    for (const account of accountsOf(waiting.journal)) {
      const wanting = stuck.get(nameOf(account))
      if (wanting === undefined) continue
      stats.setAside++
      wanting.push(waiting)
      return true
    }
    return false
  }

  return {
    post,
    stats,
    close: async () => {
      isClosed = true
      while (running.size > 0 || [...lanes, loners].some(({ queue }) => queue.length > 0)) {
        await Promise.all([...running])
        await nextTurn()
      }
      for (const lane of [...lanes, loners]) await disconnect(lane)
      await waiters.end()
    },
  }
}

function createLane(batchMax: number): Lane {
  return { queue: [], batchMax, isRunning: false }
}

async function disconnect(lane: Lane): Promise<void> {
  const client = lane.client
  delete lane.client
  await client?.end().catch(() => undefined)
}

/** An error is certain only if no earlier COMMIT of this journal is in doubt. */
function fail(waiting: Waiting, error: unknown): void {
  waiting.reject(waiting.isDoubted ? dbError('OUTCOME_UNKNOWN', {}, error) : error)
}

/** Tells those whose time is up, and returns the others. */
function failLate(batch: Waiting[], error: unknown): Waiting[] {
  const nowMs = performance.now()
  return batch.filter((waiting) => {
    if (nowMs <= waiting.deadlineMs) return true
    fail(waiting, error)
    return false
  })
}

/**
 * Journals that pay the same account travel in the same lane, so that the lanes seldom wait for each other's locks:
 * with 1,000 merchants and lanes filled in turn, two batches of 256 nearly always met.
 */
function laneOf({ alternatives: [{ transfers, holds }] }: Journal, laneCount: number): number {
  const account = transfers[0]?.to ?? holds?.[0]?.account
  return account === undefined ? 0 : parseInt(account.ownerId.slice(-6), 16) % laneCount
}
