import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { connect, type Connection, createPool, dbError, type Pool } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import { type Account, nameOf } from './account.ts'
import { type BatchTools, isDeskLimit, isRaceForName, runBatch } from './batch.ts'
import type { Decision } from './decide.ts'
import { ledgerError } from './errors.ts'
import { accountsOf, checkJournal, type Journal, type Posted } from './journal.ts'
import { findBusyAccounts, isLockable } from './store.ts'

export type LedgerOptions = BatchTools & {
  /** Connects as a role that owns no tables. */
  readonly url: string
  /** How many batches run at once: while one waits for PostgreSQL, this process prepares another. */
  readonly lanes?: number
  readonly batchMax?: number
}

export type Ledger = {
  /** Posts the journal in a batch with others that arrive now. Resolves after the commit; rejects if the journal is refused. */
  readonly post: (journal: Journal) => Promise<Posted>
  readonly stats: Readonly<LedgerStats>
  /** Waits for all pending journals. */
  readonly close: () => Promise<void>
}

type LedgerStats = { batches: number; deadlocks: number; lockTimeouts: number; splits: number; setAside: number }

type Waiting = {
  readonly journal: Journal
  readonly resolve: (posted: Posted) => void
  readonly reject: (error: unknown) => void
  readonly deadlineMs: number
  /** A COMMIT of this journal got no response: the outcome stays unknown until a later attempt finds the key. */
  isDoubted: boolean
}

type Lane = { client?: Connection; readonly queue: Waiting[]; readonly batchMax: number; isRunning: boolean }

/** The state of an open ledger. */
type Poster = {
  readonly url: string
  readonly tools: BatchTools
  readonly stats: LedgerStats
  readonly lanes: readonly Lane[]
  /** How many journals must be queued before a lane starts while another one runs. */
  readonly besideMin: number
  /** For journals that wait for something other than an account, such as a key that another process is committing. */
  readonly loners: Lane
  /** Accounts that another transaction keeps locked, with the journals that wait for them. Waiting journals hold no locks. */
  readonly stuck: Map<string, Waiting[]>
  readonly waiters: Pool
  readonly running: Set<Promise<void>>
  isClosed: boolean
  isScheduled: boolean
}

// A normal wait for a lock is a few batches, about ten milliseconds each. After this time the account counts as stuck.
const lockTimeoutMs = 500
// How long one attempt to lock a stuck account lasts before we check whether any journal still waits for it.
const stuckTimeoutMs = 1_000
const stuckConnectionsMax = 4
// A server that does not respond for this long counts as lost.
const responseTimeoutMs = 5_000
// How long a journal is retried before its caller gets an error: twice the time in which a lost server is noticed.
const patienceMs = 12_000
const attemptsMax = 5
const besideMin = 16

export function openLedger({ url, clock, newId, lanes: laneCount = 3, batchMax = 256 }: LedgerOptions): Ledger {
  const poster: Poster = {
    url,
    tools: { clock, newId },
    stats: { batches: 0, deadlocks: 0, lockTimeouts: 0, splits: 0, setAside: 0 },
    lanes: Array.from({ length: laneCount }, () => createLane(batchMax)),
    besideMin: Math.min(besideMin, batchMax),
    loners: createLane(1),
    stuck: new Map(),
    waiters: createPool(url, stuckConnectionsMax, responseTimeoutMs),
    running: new Set(),
    isClosed: false,
    isScheduled: false,
  }
  return {
    post: (journal) => {
      if (poster.isClosed) return Promise.reject(ledgerError('LEDGER_UNAVAILABLE'))
      return new Promise((resolve, reject) => {
        checkJournal(journal)
        enqueue(poster, { journal, resolve, reject, deadlineMs: performance.now() + patienceMs, isDoubted: false })
      })
    },
    stats: poster.stats,
    close: () => close(poster),
  }
}

async function close(poster: Poster): Promise<void> {
  const { lanes, loners, running, waiters } = poster
  poster.isClosed = true
  while (running.size > 0 || [...lanes, loners].some(({ queue }) => queue.length > 0)) {
    await Promise.all([...running])
    await nextTurn()
  }
  for (const lane of [...lanes, loners]) await disconnect(lane)
  await waiters.end()
}

function enqueue(poster: Poster, waiting: Waiting): void {
  poster.lanes[laneOf(waiting.journal, poster.lanes.length)]?.queue.push(waiting)
  schedule(poster)
}

/** Starts the lanes at the end of this turn of the event loop, so that journals of one turn share a batch. */
function schedule(poster: Poster): void {
  if (poster.isScheduled) return
  poster.isScheduled = true
  setImmediate(() => {
    poster.isScheduled = false
    for (const lane of [...poster.lanes, poster.loners])
      if (!lane.isRunning && isDue(poster, lane)) track(poster, drain(poster, lane))
  })
}

/** Each batch has a fixed cost, so a second lane starts only for many journals. */
function isDue(poster: Poster, lane: Lane): boolean {
  return lane.queue.length >= (lane === poster.loners || isAlone(poster, lane) ? 1 : poster.besideMin)
}

function isAlone({ lanes }: Poster, lane: Lane): boolean {
  return lanes.every((other) => other === lane || !other.isRunning)
}

/** Takes the next batch of a lane. If no other lane runs, it also takes journals from lanes with too few to start. */
function take(poster: Poster, lane: Lane): Waiting[] {
  const batch = lane.queue.splice(0, lane.batchMax)
  if (lane !== poster.loners && isAlone(poster, lane))
    for (const { queue } of poster.lanes)
      if (queue.length < poster.besideMin) batch.push(...queue.splice(0, lane.batchMax - batch.length))
  return batch
}

function track({ running }: Poster, work: Promise<void>): void {
  running.add(work)
  void work.finally(() => running.delete(work))
}

async function drain(poster: Poster, lane: Lane): Promise<void> {
  lane.isRunning = true
  while (isDue(poster, lane)) {
    const batch = take(poster, lane)
    const free = poster.stuck.size > 0 ? batch.filter((waiting) => !setAsideIfStuck(poster, waiting)) : batch
    if (free.length > 0) await drive(poster, lane, free, 1)
  }
  lane.isRunning = false
  schedule(poster)
}

/** Posts the batch. Afterwards every journal is settled or back in a queue. Never throws. */
async function drive(poster: Poster, lane: Lane, batch: Waiting[], attempt: number): Promise<void> {
  try {
    lane.client ??= await connectLane(poster)
    poster.stats.batches++
    const journals = batch.map(({ journal }) => journal)
    settle(lane, batch, await runBatch(lane.client, journals, lockTimeoutMs, poster.tools))
  } catch (error) {
    await recover(poster, lane, batch, attempt, error)
  }
}

async function connectLane({ url }: Poster): Promise<Connection> {
  return connect(url, responseTimeoutMs).catch((error: unknown) => {
    throw ledgerError('LEDGER_UNAVAILABLE', {}, error)
  })
}

/** Resolves or rejects each journal of a committed batch. Deferred journals go back to the front of the queue. */
function settle(lane: Lane, batch: Waiting[], decisions: Decision[]): void {
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

async function recover(poster: Poster, lane: Lane, batch: Waiting[], attempt: number, error: unknown): Promise<void> {
  const isUnknown = hasCode(error, 'OUTCOME_UNKNOWN')
  // 25006: our primary has become a standby.
  if (isUnknown || hasCode(error, 'LEDGER_UNAVAILABLE', '25006')) return reconnect(lane, batch, isUnknown, error)
  if (hasCode(error, '55P03')) return setAside(poster, lane, batch, error)
  if (hasCode(error, '40P01')) poster.stats.deadlocks++
  const isWorthRepeating = hasCode(error, '40P01', '40001') || isRaceForName(error)
  if (isWorthRepeating && attempt < attemptsMax) return drive(poster, lane, batch, attempt + 1)
  return halve(poster, lane, batch, error)
}

/** PostgreSQL rolled back because of one journal: splits the batch in halves until that journal is alone, and rejects it. */
async function halve(poster: Poster, lane: Lane, batch: Waiting[], error: unknown): Promise<void> {
  const [first] = batch
  if (batch.length === 1 && first !== undefined) {
    fail(first, isDeskLimit(error) ? ledgerError('LEDGER_DESK_LIMIT', {}, error) : error)
    return
  }
  poster.stats.splits++
  const middle = Math.ceil(batch.length / 2)
  await drive(poster, lane, batch.slice(0, middle), 1)
  await drive(poster, lane, batch.slice(middle), 1)
}

/** Queues the journals again for a new connection. Journals that were committed are then found by their keys. */
async function reconnect(lane: Lane, batch: Waiting[], isUnknown: boolean, error: unknown): Promise<void> {
  await disconnect(lane)
  if (isUnknown) for (const waiting of batch) waiting.isDoubted = true
  // Check the deadlines of the whole queue: otherwise it would wait for every further attempt to fail.
  const all = [...batch, ...lane.queue.splice(0)]
  lane.queue.push(...failLate(all, ledgerError('LEDGER_UNAVAILABLE', {}, error)))
  await sleep(100)
}

/** Handles a lock timeout: journals that touch the locked account wait separately, so that they delay no others. */
async function setAside(poster: Poster, lane: Lane, batch: Waiting[], error: unknown): Promise<void> {
  poster.stats.lockTimeouts++
  const patient = failLate(batch, ledgerError('LEDGER_BUSY', {}, error))
  const [first] = patient
  if (first === undefined) return
  const busy = await findBusy(lane, patient)
  for (const account of busy) if (!poster.stuck.has(nameOf(account))) track(poster, waitFor(poster, account))
  if (busy.length > 0) lane.queue.unshift(...patient)
  else if (patient.length > 1) await halve(poster, lane, patient, error)
  else {
    poster.loners.queue.push(first)
    schedule(poster)
    if (lane === poster.loners) await sleep(100)
  }
}

async function findBusy(lane: Lane, batch: Waiting[]): Promise<Account[]> {
  if (lane.client === undefined) return []
  const journals = batch.map(({ journal }) => journal)
  try {
    return await findBusyAccounts(lane.client, journals)
  } catch {
    // The next attempt reconnects and reports the error, if there still is one.
    await disconnect(lane)
    return []
  }
}

/** Waits for a stuck account while holding no other lock, then queues its journals again. */
async function waitFor(poster: Poster, account: Account): Promise<void> {
  const name = nameOf(account)
  const wanting: Waiting[] = []
  poster.stuck.set(name, wanting)
  for (;;) {
    const isFree = await isLockable(poster.waiters, account, stuckTimeoutMs).catch(() => sleep(100, true))
    const patient = failLate(wanting.splice(0), ledgerError('LEDGER_BUSY'))
    wanting.push(...patient)
    if (!isFree && patient.length > 0) continue
    poster.stuck.delete(name)
    for (const waiting of patient) enqueue(poster, waiting)
    return
  }
}

function setAsideIfStuck({ stuck, stats }: Poster, waiting: Waiting): boolean {
  for (const account of accountsOf(waiting.journal)) {
    const wanting = stuck.get(nameOf(account))
    if (wanting === undefined) continue
    stats.setAside++
    wanting.push(waiting)
    return true
  }
  return false
}

function createLane(batchMax: number): Lane {
  return { queue: [], batchMax, isRunning: false }
}

async function disconnect(lane: Lane): Promise<void> {
  const client = lane.client
  delete lane.client
  await client?.end().catch(() => undefined)
}

/** Rejects a journal. If an earlier COMMIT of it got no response, the error is OUTCOME_UNKNOWN. */
function fail(waiting: Waiting, error: unknown): void {
  waiting.reject(waiting.isDoubted ? dbError('OUTCOME_UNKNOWN', {}, error) : error)
}

/** Rejects the journals whose deadline has passed and returns the others. */
function failLate(batch: Waiting[], error: unknown): Waiting[] {
  const nowMs = performance.now()
  return batch.filter((waiting) => {
    if (nowMs <= waiting.deadlineMs) return true
    fail(waiting, error)
    return false
  })
}

/**
 * Journals that pay the same account use the same lane, so that lanes rarely wait for each other's locks: with 1,000
 * merchants and round-robin lanes, two batches of 256 journals nearly always shared an account.
 */
function laneOf({ alternatives: [{ transfers, holds }] }: Journal, laneCount: number): number {
  const account = transfers[0]?.to ?? holds?.[0]?.account
  return account === undefined ? 0 : parseInt(account.ownerId.slice(-6), 16) % laneCount
}
