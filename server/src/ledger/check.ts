// Checks the ledger in the background: recent journals every hour, all of it every week (docs/decisions/0058). The SQL is in
// server/sql/25-ledger-checks.sql.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import { orNull } from '../base/column-type.ts'
import { inTransaction, type Db, type Pool } from '../base/db.ts'
import type { Job } from '../base/jobs.ts'
import type { Leases } from '../base/lease.ts'
import type { Log } from '../base/log.ts'
import { execute, list, type RowOf, select, selectOne, selectValue, sql } from '../base/sql.ts'

// A step holds no lock that a payment needs, but it takes processor time and reads pages.
const stepMsTarget = 200
// Four fifths of the time nothing is checked, so that a check takes at most a fifth of one processor.
const restFactor = 4
const restMsMax = 60_000
const rowsMin = 200
const rowsMax = 50_000
const rowsFirst = 2_000
// To confirm a difference takes one statement over all transfers.
const statementTimeout = '30min'
const everyMs = 15_000
const lease = 'ledger checks'

const differenceColumns = list({
  id: sql.integer`d.id`,
  check: sql.text`c.kind`,
  kind: sql.text`d.kind`,
  subject: sql.text`d.subject`,
  part: orNull(sql.text)`d.part`,
  expected: orNull(sql.numeric)`d.expected`,
  found: orNull(sql.numeric)`d.found`,
  foundAt: sql.timestamptz`d.found_at`,
})

/** Something in the ledger that does not agree, named by its journal, account or hold. It is reported once and never repaired. */
export type LedgerDifference = RowOf<typeof differenceColumns>

export type LedgerCheckTools = {
  /** A connection of its own without a limit on responses: no other work waits for a check. */
  readonly checkPool: Pool
  readonly clock: Clock
  readonly leases: Leases
  readonly log: Log
  /** Notifies the operator. A difference whose alert failed is alerted again. */
  readonly alertDifference: (difference: LedgerDifference) => Promise<void>
  /** How long the job waits after a step of so many milliseconds. Tests do not wait. */
  readonly rest?: (tookMs: number) => Promise<unknown>
}

/**
 * The job that checks the ledger, in one worker at a time. Every step commits what it found and how far it came, so that another
 * worker continues where a killed one stopped.
 */
export function createCheckLedger(tools: LedgerCheckTools): Job {
  const { checkPool: pool, clock, leases, log, rest = restAfter } = tools
  let rows = rowsFirst

  async function step(): Promise<boolean> {
    const startMs = performance.now()
    const hasMore = await inTransaction(pool, async (tx) => {
      await tx.query(`set local statement_timeout = '${statementTimeout}'`)
      return selectValue(tx)`select ${sql.boolean`ledger_check_step(${clock()}, ${rows})`}`
    })
    const tookMs = performance.now() - startMs
    rows = nextRows(rows, tookMs)
    await alertNew(tools)
    if (hasMore === true) await rest(tookMs)
    return hasMore === true
  }

  return {
    name: 'ledger checks',
    everyMs,
    run: async () => {
      if (!(await leases.claim(lease))) return false
      try {
        return await step()
      } catch (error) {
        // What failed at this size is tried again with less.
        rows = Math.max(rowsMin, Math.floor(rows / 2))
        await countFailure(pool).catch((cause: unknown) => log.warn({ err: cause }, 'the failure was not counted'))
        throw error
      } finally {
        await leases.release(lease)
      }
    },
  }
}

/** How many rows a step should read, so that it takes about the target. A single slow step halves it at most. */
function nextRows(rows: number, tookMs: number): number {
  const factor = Math.min(2, Math.max(0.5, stepMsTarget / Math.max(1, tookMs)))
  return Math.round(Math.min(rowsMax, Math.max(rowsMin, rows * factor)))
}

function restAfter(tookMs: number): Promise<unknown> {
  return sleep(Math.min(restMsMax, tookMs * restFactor))
}

async function countFailure(pool: Pool): Promise<void> {
  await execute(pool)`select ledger_check_failed()`
}

async function alertNew({ checkPool: pool, clock, log, alertDifference }: LedgerCheckTools): Promise<void> {
  const fresh = await select(pool)`
    select ${differenceColumns} from ledger_differences d join ledger_checks c on c.id = d.check_id
      where d.alerted_at is null order by d.id limit 100`
  for (const difference of fresh) {
    log.error(
      { difference: describeFields(difference) },
      `The ledger has a difference: ${describeDifference(difference)}`,
    )
    await alertDifference(difference)
    await execute(pool)`update ledger_differences set alerted_at = ${clock()} where id = ${difference.id}`
  }
}

/** The fields of a difference with amounts as text, for logs and events. */
function describeFields({ expected, found, foundAt, ...rest }: LedgerDifference): object {
  return { ...rest, expected: expected?.toString(), found: found?.toString(), foundAt: foundAt.toISOString() }
}

const sentences: Readonly<Record<string, (difference: LedgerDifference) => string>> = {
  balance: ({ subject, expected, found }) => `${subject} has ${found}, its transfers sum to ${expected}`,
  held: ({ subject, expected, found }) => `${subject} holds ${found}, its holds sum to ${expected}`,
  overdrawn: ({ subject, expected, found }) => `${subject} holds ${found} of ${expected}`,
  hold: ({ subject, expected, found }) => `${subject} has ${found} left, its moves sum to ${expected}`,
  'moves nothing': ({ subject }) => `${subject} has no transfer and no hold move`,
  'no journal': ({ subject }) => `${subject} does not exist, and has transfers or hold moves`,
  'key not registered': ({ subject }) => `the key of ${subject} is not registered for it`,
  'store value left': ({ subject, found }) => `${subject} moves ${found} between store value and other money`,
  'unfunded entry': ({ subject, expected, found }) =>
    `${subject} brings in ${found}, a funding or a chain accounts for ${expected}`,
}

/** One line that names the subject, the part of the tables that has it, and both numbers. */
export function describeDifference(difference: LedgerDifference): string {
  const sentence = sentences[difference.kind]?.(difference) ?? `${difference.subject}: ${difference.kind}`
  return difference.part === null ? sentence : `${sentence} (${difference.part})`
}

/** The differences that no operator has acknowledged, oldest first. */
export function listOpenDifferences(db: Db): Promise<LedgerDifference[]> {
  return select(db)`
    select ${differenceColumns} from ledger_differences d join ledger_checks c on c.id = d.check_id
      where d.acknowledged_at is null order by d.id`
}

/** Records what the operator found out. Returns whether there was such an open difference. */
export async function acknowledgeDifference(db: Db, id: number, note: string, at: Date): Promise<boolean> {
  const changed = await execute(db)`
    update ledger_differences set acknowledged_at = ${at}, note = ${note} where id = ${id} and acknowledged_at is null`
  return changed === 1
}

const checkColumns = list({
  kind: sql.text`kind`,
  startedAt: sql.timestamptz`started_at`,
  journals: sql.bigint`journals`,
  accounts: sql.bigint`accounts`,
  addedUpTo: sql.timestamptz`time_of_id(below_id)`,
  isComparing: sql.boolean`compared_owner is not null`,
  failures: sql.integer`failures`,
})

/** The check that is at work. */
export type RunningLedgerCheck = RowOf<typeof checkColumns>

export function findRunningCheck(db: Db): Promise<RunningLedgerCheck | undefined> {
  return selectOne(db)`select ${checkColumns} from ledger_checks where finished_at is null and not was_abandoned`
}

export type LedgerVerification = {
  /** Seconds since recent journals were last checked completely, which a full check does too. Undefined: never. */
  readonly recentAgeS: number | undefined
  readonly fullAgeS: number | undefined
  /** Differences that no operator has acknowledged. */
  readonly openDifferences: number
  /** Steps that failed and were tried again, in all. */
  readonly failures: number
}

const verificationColumns = list({
  recentAt: orNull(sql.timestamptz)`max(finished_at)`,
  fullAt: orNull(sql.timestamptz)`max(finished_at) filter (where kind = 'full')`,
  openDifferences: sql.bigint`(select count(*) from ledger_differences where acknowledged_at is null)`,
  failures: sql.bigint`coalesce(sum(failures), 0)`,
})

/** How long ago the ledger was checked, and what is open. Cheap enough for every scrape of the metrics. */
export async function readVerification(db: Db, at: Date): Promise<LedgerVerification> {
  const found = await selectOne(db)`select ${verificationColumns} from ledger_checks`
  const ageS = (time: Date | null | undefined): number | undefined =>
    time instanceof Date ? (at.getTime() - time.getTime()) / 1_000 : undefined
  return {
    recentAgeS: ageS(found?.recentAt),
    fullAgeS: ageS(found?.fullAt),
    openDifferences: Number(found?.openDifferences ?? 0n),
    failures: Number(found?.failures ?? 0n),
  }
}
