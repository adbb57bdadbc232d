import type { Connection } from '../base/db.ts'
import { addTo, createTally, type Tally } from '../base/tally.ts'
import type { Timers } from '../base/timers.ts'
import type { Account } from './account.ts'
import { type BatchTools, isDeskLimit, runBatch } from './batch.ts'
import type { BusyAccounts } from './busy-accounts.ts'
import type { Decision } from './decide.ts'
import { ledgerError } from './errors.ts'
import { postInOneRound } from './fast-batch.ts'
import type { Journal } from './journal.ts'
import { isDeadlock, isOutcomeUnknown, recoveryOf } from './recovery.ts'
import type { Lane, Scheduler } from './scheduler.ts'
import { findBusyAccounts } from './store.ts'
import { traceBatch } from './trace-journal.ts'
import { fail, failLate, type Waiting } from './waiting.ts'

export type LedgerStats = {
  batches: number
  oneRound: number
  deadlocks: number
  lockTimeouts: number
  splits: number
  setAside: number
  /** Batches that could not be posted in one round, and were posted the careful way. */
  careful: number
  /** How many journals each attempt had. */
  readonly sizes: Tally
  /** How long each batch took until its commit, by the way it was posted. */
  readonly seconds: { readonly oneRound: Tally; readonly careful: Tally }
}

const sizeBounds = [1, 2, 4, 8, 16, 32, 64, 128]
const secondBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export function createStats(): LedgerStats {
  return {
    ...{ batches: 0, oneRound: 0, deadlocks: 0, lockTimeouts: 0, splits: 0, setAside: 0, careful: 0 },
    sizes: createTally(sizeBounds),
    seconds: { oneRound: createTally(secondBounds), careful: createTally(secondBounds) },
  }
}

export type Poster = {
  readonly tools: BatchTools
  readonly timers: Timers
  readonly connect: () => Promise<Connection>
  readonly scheduler: Scheduler
  readonly busy: BusyAccounts
  readonly stats: LedgerStats
  readonly isCareful: boolean
}

// A normal wait for a lock is a few batches, about ten milliseconds each. After this time the account counts as busy.
const lockTimeoutMs = 500
// A journal that is alone keeps its accounts locked while it waits for a name that another program has not committed. Half the time
// of the others: they get these accounts before they count them as busy.
const aloneLockTimeoutMs = 250
const retryMs = 100

/** Posts a batch of a lane. Journals that touch a busy account wait for it instead. */
export async function postBatch(poster: Poster, lane: Lane, batch: Waiting[]): Promise<void> {
  const free = batch.filter((waiting) => !poster.busy.setAside(waiting))
  lane.batch = free
  if (free.length > 0) await attempt(poster, lane, free, 1)
  lane.batch = []
}

/** Afterwards every journal is settled or back in a queue. Never throws. */
async function attempt(
  poster: Poster,
  lane: Lane,
  batch: Waiting[],
  count: number,
  isCareful = poster.isCareful || poster.scheduler.isAlone(lane),
): Promise<void> {
  try {
    lane.client ??= await connectLane(poster)
    poster.stats.batches++
    addTo(poster.stats.sizes, batch.length)
    const journals = batch.map(({ journal }) => journal)
    const timeoutMs = poster.scheduler.isAlone(lane) ? aloneLockTimeoutMs : lockTimeoutMs
    const { client } = lane
    settle(lane, batch, await traceBatch(batch, () => post(poster, client, journals, timeoutMs, isCareful)))
  } catch (error) {
    await recover(poster, lane, batch, count, error)
  }
}

/** Posts in one round if nothing speaks against it, which is nearly always, and otherwise the careful way. */
async function post(
  { tools, timers, stats }: Poster,
  client: Connection,
  journals: readonly Journal[],
  lockTimeoutMs: number,
  isCareful: boolean,
): Promise<Decision[]> {
  const startMs = timers.nowMs()
  const note = (tally: Tally): void => addTo(tally, (timers.nowMs() - startMs) / 1_000)
  const posted = isCareful ? undefined : await postInOneRound(client, journals, lockTimeoutMs, tools)
  if (posted !== undefined) {
    stats.oneRound++
    note(stats.seconds.oneRound)
    return posted
  }
  if (!isCareful) stats.careful++
  const decisions = await runBatch(client, journals, lockTimeoutMs, tools)
  note(stats.seconds.careful)
  return decisions
}

async function connectLane({ connect }: Poster): Promise<Connection> {
  return connect().catch((error: unknown) => {
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

async function recover(poster: Poster, lane: Lane, batch: Waiting[], count: number, error: unknown): Promise<void> {
  if (isDeadlock(error)) poster.stats.deadlocks++
  switch (recoveryOf(error, count)) {
    case 'reconnect':
      return reconnect(poster, lane, batch, error)
    case 'set aside':
      return setAside(poster, lane, batch, error)
    case 'isolate':
      return isolate(poster, lane, batch, error)
    case 'repeat':
      return attempt(poster, lane, batch, count + 1)
    case 'halve':
      return halve(poster, lane, batch, error)
  }
}

/** Queues the journals again for a new connection. Journals that were committed are then found by their keys. */
async function reconnect({ timers }: Poster, lane: Lane, batch: Waiting[], error: unknown): Promise<void> {
  await disconnect(lane)
  if (isOutcomeUnknown(error)) for (const waiting of batch) waiting.isDoubted = true
  // Check the deadlines of the whole queue: otherwise it would wait for every further attempt to fail.
  const all = [...batch, ...lane.queue.splice(0)]
  lane.queue.push(...failLate(all, timers.nowMs(), ledgerError('LEDGER_UNAVAILABLE', {}, error)))
  await timers.sleep(retryMs)
}

/** Posts the halves of the batch. A journal that is alone has caused the error, and is rejected. */
async function halve(poster: Poster, lane: Lane, batch: Waiting[], error: unknown): Promise<void> {
  const [first] = batch
  if (batch.length === 1 && first !== undefined) {
    fail(first, isDeskLimit(error) ? ledgerError('LEDGER_DESK_LIMIT', {}, error) : error)
    return
  }
  poster.stats.splits++
  const middle = Math.ceil(batch.length / 2)
  // Something in the batch is refused or waits, and a round would find that out a second time.
  await attempt(poster, lane, batch.slice(0, middle), 1, true)
  await attempt(poster, lane, batch.slice(middle), 1, true)
}

/** Handles a locked account: journals that touch it wait apart, so that they delay no others. */
async function setAside({ busy, timers, stats }: Poster, lane: Lane, batch: Waiting[], error: unknown): Promise<void> {
  stats.lockTimeouts++
  const patient = failLate(batch, timers.nowMs(), ledgerError('LEDGER_BUSY', {}, error))
  busy.watch(await findBusy(lane, patient))
  lane.queue.unshift(...patient)
}

/** Handles a name that another transaction has not committed: the journal that needs it is posted alone from now on. */
async function isolate(poster: Poster, lane: Lane, batch: Waiting[], error: unknown): Promise<void> {
  const { scheduler, timers, stats } = poster
  stats.lockTimeouts++
  const patient = failLate(batch, timers.nowMs(), ledgerError('LEDGER_BUSY', {}, error))
  const [first] = patient
  if (first === undefined) return
  if (patient.length > 1) {
    await halve(poster, lane, patient, error)
    return
  }
  first.isLoner = true
  scheduler.enqueue(first)
  if (scheduler.isAlone(lane)) await timers.sleep(retryMs)
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

export async function disconnect(lane: Lane): Promise<void> {
  const client = lane.client
  delete lane.client
  await client?.end().catch(() => undefined)
}
