import type { Tx } from '../../base/db.ts'
import { chargeTypes } from '../../catalogue/charge/wire.ts'
import { timeOfId } from '../../base/id.ts'
import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import { execute, list, raw, type RowOf, select, selectOne, sql } from '../../base/sql.ts'
import type { Fragment } from '../../base/column-type.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { defineTable, type NewRow } from '../../base/table.ts'
import { type Document, documentOf } from '../../ledger/document.ts'
import { type TransactionStatus, transactionStatuses } from './status.ts'
import { type TransactionType, transactionTypes } from './wire.ts'

export const transactions = defineTable('transactions', {
  environmentId: sql.uuid,
  id: sql.uuid,
  reference: sql.text,
  type: oneOf(transactionTypes),
  status: oneOf(transactionStatuses),
  bookId: sql.smallint,
  amount: sql.numeric,
  charged: sql.numeric,
  chargeType: oneOf(chargeTypes),
  metadata: sql.text,
  createdAt: sql.timestamptz,
  /** The user concerned, if any. */
  userId: orNull(sql.uuid),
  /** The staff member who acted. Null: an API key. */
  memberId: orNull(sql.uuid),
  /** The last symbols of its voucher's code. */
  codeTail: orNull(sql.text),
  /** The refunded transaction, for refunds. */
  refundOf: orNull(sql.uuid),
  /** True if made with the public key only. */
  byPublicKey: orNull(sql.boolean),
  /** The amount refunded so far. */
  refunded: withDefault(sql.numeric),
  /** The journal that moved its money, if not the one that created it. */
  settledBy: withDefault(orNull(sql.uuid)),
})

/** The row of a transaction, stored in the commit of its journal. */
export const transactionDocument = documentOf(transactions)

type New = NewRow<typeof transactions>
type Moved = Omit<New, 'reference' | 'type' | 'status' | 'charged' | 'chargeType' | 'metadata' | 'createdAt'> & {
  readonly metadata?: string
  /** COMPLETED by default. */
  readonly status?: TransactionStatus
}

/** A transaction without a fee. Its status is COMPLETED unless given. */
export function freeTransaction(type: TransactionType, reference: string, moved: Moved): Document {
  const free = { charged: moved.amount, chargeType: 'NONE' as const, createdAt: timeOfId(moved.id) }
  return transactionDocument({ metadata: '', status: 'COMPLETED', ...moved, ...free, type, reference })
}

/** A balance change that no client requested. Its reference is the id of its journal. */
export function adjustmentDocument(moved: Moved): Document {
  return freeTransaction('ADJUSTMENT', moved.id, moved)
}

/** The columns of a transaction `t` and its book `b`. */
export const transactionFields = {
  ...transactions.columns('t'),
  ...ledgerBooks.columns('b', 'currency'),
  updatedAt: sql.timestamptz`coalesce(t.updated_at, t.created_at)`,
}
const transactionColumns = list(transactionFields)
export type Transaction = RowOf<typeof transactionColumns>

/** The columns that payments, payouts and deposits read from their transaction `t` and its book `b`. */
export const transactionFacts = {
  ...transactions.columns('t', 'id', 'reference', 'status', 'bookId', 'amount', 'metadata', 'createdAt'),
  ...ledgerBooks.columns('b', 'currency'),
}

export async function findTransaction(
  tx: Tx,
  environmentId: string,
  reference: string,
  lock: '' | 'for no key update of t' = '',
): Promise<Transaction | undefined> {
  return selectOne(tx)`
    select ${transactionColumns} from ${raw(lock === '' ? 'all_transactions' : 'transactions')} t
      join ledger_books b on b.id = t.book_id
      where t.environment_id = ${environmentId} and ${isNamed(environmentId, reference)} ${raw(lock)}`
}

/** The condition for a transaction `t` with this reference. Its id is in the table of references. */
export function isNamed(environmentId: string, reference: string): Fragment {
  return sql`t.id = (select id_of_reference(${environmentId}, ${reference})) and t.reference = ${reference}`
}

/** Changes the status. The caller has locked the transaction or its payment, payout or deposit. */
export async function moveTransaction(
  tx: Tx,
  { environmentId, id }: { readonly environmentId: string; readonly id: string },
  status: TransactionStatus,
  at: Date,
  /** The journal that moves its money. */
  settledBy?: string,
): Promise<void> {
  if (status === 'REVERSED') await lockDays(tx, environmentId, 'alone')
  await execute(tx)`
    update transactions set status = ${status}, updated_at = ${at}, settled_by = coalesce(${settledBy}, settled_by)
      where environment_id = ${environmentId} and id = ${id}`
  // Only a reversal changes the totals of a past day.
  if (status === 'REVERSED') await execute(tx)`delete from settled_days where environment_id = ${environmentId}`
}

/** Records who paid a request by link, which the caller has locked. */
export async function setUser(
  tx: Tx,
  { environmentId, id }: { readonly environmentId: string; readonly id: string },
  userId: string,
): Promise<void> {
  await execute(tx)`
    update transactions set user_id = ${userId} where environment_id = ${environmentId} and id = ${id}`
}

/** Locks the stored daily totals until the transaction ends, so that none is stored while one changes. */
export async function lockDays(tx: Tx, environmentId: string, how: 'shared' | 'alone'): Promise<void> {
  const lock = how === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
  await execute(tx)`select ${raw(lock)}(hashtextextended(${`settled days ${environmentId}`}, 0))`
}

/** Adds a refund to a transaction, which the caller has locked. A full refund sets the status REFUNDED. */
export async function recordRefund(tx: Tx, environmentId: string, id: string, amount: bigint, at: Date): Promise<void> {
  await execute(tx)`
    update transactions set refunded = refunded + ${amount}, updated_at = ${at},
      status = case when refunded + ${amount} = amount then 'REFUNDED' else status end
      where environment_id = ${environmentId} and id = ${id}`
}

/** The lowest possible id of a row created at this time: ids begin with their milliseconds. */
export function firstIdAt(at: Date): string {
  const ms = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8, 12)}-0000-0000-000000000000`
}

export type TransactionFilter = Readonly<Record<'type' | 'status' | 'currency', string | undefined>>
/** Ids increase with time, so a time range is an id range. */
export type IdRange = { readonly from: string; readonly below: string }

/**
 * Newest first. With a filter, scans at most `scanMax` rows per page, so that a filter with few matches costs no more
 * than one with many. `next` is the cursor of the next page, also after a short or empty page.
 */
export async function listTransactions(
  tx: Tx,
  environmentId: string,
  { from, below }: IdRange,
  { type, status, currency }: TransactionFilter,
  limit: number,
  scanMax: number,
): Promise<{ transactions: Transaction[]; next: string | undefined }> {
  const isFiltered = type !== undefined || status !== undefined || currency !== undefined
  const found = await select(tx)`
    select ${transactionColumns} from (
        select * from all_transactions where environment_id = ${environmentId} and id >= ${from} and id < ${below}
          order by id desc limit ${isFiltered ? scanMax : limit + 1}
      ) t join ledger_books b on b.id = t.book_id
      where (${type}::text is null or t.type = ${type}) and (${status}::text is null or t.status = ${status})
        and (${currency}::text is null or b.currency = ${currency})
      order by t.id desc limit ${limit + 1}`
  // One row more than a page tells whether there is a next page.
  const page = found.slice(0, limit)
  if (found.length > limit) return { transactions: page, next: page.at(-1)?.id }
  if (!isFiltered) return { transactions: page, next: undefined }
  const [last, further] = await select(tx)`
    select ${list(transactions.columns('', 'id'))} from all_transactions where environment_id = ${environmentId} and id >= ${from} and id < ${below}
      order by id desc offset ${scanMax - 1} limit 2`
  return { transactions: page, next: further && last?.id }
}
