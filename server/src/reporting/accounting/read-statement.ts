import type { Pool, Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { Owner } from '../../http/caller.ts'
import { findBook } from '../../ledger/book.ts'
import type { ReportAccount } from './accounts.ts'
import { readPeriod, type Period, type PeriodInput } from './period.ts'
import { type Entry, listEntries, sumMovements } from './store.ts'

export type StatementInput = PeriodInput & {
  readonly account: ReportAccount
  readonly currency: string
  /** The last journal of the previous page. */
  readonly after: string
  readonly limit: number
}

export type Statement = {
  readonly period: Period
  readonly opening: bigint
  readonly closing: bigint
  readonly valueIn: bigint
  readonly valueOut: bigint
  readonly entries: readonly Entry[]
  /** Empty after the last page. */
  readonly next: string
}

/** What moved on an account in a period, oldest first, with its value at the beginning and at the end. */
export async function readStatement(pool: Pool, owner: Owner, input: StatementInput, at: Date): Promise<Statement> {
  const { environmentId, merchantId } = owner
  return withEnvironment(pool, environmentId, async (tx) => {
    const period = await readPeriod(tx, merchantId, input, at)
    const movements = await sumMovements(tx, environmentId, period, [input.account])
    const own = movements.filter(({ currency }) => currency === input.currency)
    const inside = own.filter(({ isBefore }) => !isBefore)
    const before = own.filter(({ isBefore }) => isBefore)
    const opening = before.reduce((sum, each) => sum + each.valueIn - each.valueOut, 0n)
    const valueIn = inside.reduce((sum, each) => sum + each.valueIn, 0n)
    const valueOut = inside.reduce((sum, each) => sum + each.valueOut, 0n)
    const page = await readLines(tx, owner, period, input)
    return { period, opening, closing: opening + valueIn - valueOut, valueIn, valueOut, ...page }
  })
}

/** A page of a statement without its sums, for the export. */
export async function readStatementLines(
  pool: Pool,
  owner: Owner,
  period: Period,
  input: StatementInput,
): Promise<Pick<Statement, 'entries' | 'next'>> {
  return withEnvironment(pool, owner.environmentId, (tx) => readLines(tx, owner, period, input))
}

async function readLines(
  tx: Tx,
  { environmentId, mode }: Owner,
  period: Period,
  { account, currency, after, limit }: StatementInput,
): Promise<Pick<Statement, 'entries' | 'next'>> {
  const bookId = await findBook(tx, mode, currency)
  if (bookId === undefined) return { entries: [], next: '' }
  const found = await listEntries(tx, environmentId, period, [{ account, bookId }], after, limit + 1)
  const entries = found.slice(0, limit)
  return { entries, next: found.length > limit ? (entries.at(-1)?.journalId ?? '') : '' }
}
