import type { Tx } from '../base/db.ts'
import type { ChargeType } from '../charge/wire.ts'
import { timeOfId } from '../base/id.ts'
import { execute, raw, select, selectOne } from '../base/sql.ts'
import { defineDocument, type Document, type NewRow, type StoredRow } from '../ledger/document.ts'
import type { TransactionStatus } from './status.ts'
import type { TransactionType } from './wire.ts'

/** The row of a transaction, stored in the commit of its journal. */
export const transactionDocument = defineDocument('transactions', {
  environmentId: 'uuid',
  id: 'uuid',
  reference: 'text',
  type: 'text',
  status: 'text',
  bookId: 'smallint',
  amount: 'numeric',
  charged: 'numeric',
  chargeType: 'text',
  metadata: 'text',
  createdAt: 'timestamptz',
  /** The user concerned, if any. */
  userId: 'uuid?',
  /** The staff member who acted. Null: an API key. */
  memberId: 'uuid?',
  /** The last symbols of its voucher's code. */
  codeTail: 'text?',
  /** The refunded transaction, for refunds. */
  refundOf: 'uuid?',
  /** True if made with the public key only. */
  byPublicKey: 'boolean?',
})

type New = NewRow<typeof transactionDocument>
type Moved = Omit<New, 'reference' | 'type' | 'status' | 'charged' | 'chargeType' | 'metadata' | 'createdAt'> & {
  readonly metadata?: string
  /** COMPLETED by default. */
  readonly status?: TransactionStatus
}

/** A transaction without a fee. Its status is COMPLETED unless given. */
export function freeTransaction(type: TransactionType, reference: string, moved: Moved): Document {
  const free = { charged: moved.amount, chargeType: 'NONE', createdAt: timeOfId(moved.id) }
  return transactionDocument({ metadata: '', status: 'COMPLETED', ...moved, ...free, type, reference })
}

/** A balance change that no client requested. Its reference is the id of its journal. */
export function adjustmentDocument(moved: Moved): Document {
  return freeTransaction('ADJUSTMENT', moved.id, moved)
}

export type Transaction = Omit<StoredRow<typeof transactionDocument>, 'environmentId' | 'byPublicKey'> & {
  readonly type: TransactionType
  readonly status: TransactionStatus
  readonly currency: string
  readonly chargeType: ChargeType
  /** The amount refunded so far. */
  readonly refunded: bigint
  /** The journal that moved its money, if not the one that created it. */
  readonly settledBy: string | null
  readonly updatedAt: Date
}

/** The fields that payments, payouts and deposits read from their transaction. */
export type TransactionFacts = Pick<
  Transaction,
  'id' | 'reference' | 'status' | 'bookId' | 'currency' | 'amount' | 'metadata' | 'createdAt'
>

export const transactionColumns = `t.id, t.user_id as "userId", t.member_id as "memberId", t.code_tail as "codeTail",
  t.refund_of as "refundOf", t.settled_by as "settledBy", t.reference, t.type, t.status, t.book_id as "bookId", b.currency, t.amount, t.charged, t.charge_type as "chargeType",
  t.metadata, t.refunded, t.created_at as "createdAt", coalesce(t.updated_at, t.created_at) as "updatedAt"`

export async function findTransaction(
  tx: Tx,
  environmentId: string,
  reference: string,
  lock: '' | 'for no key update of t' = '',
): Promise<Transaction | undefined> {
  return selectOne<Transaction>(tx)`
    select ${raw(transactionColumns)} from transactions t join ledger_books b on b.id = t.book_id
      where t.environment_id = ${environmentId} and t.reference = ${reference} ${raw(lock)}`
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
  const found = await select<Transaction>(tx)`
    select ${raw(transactionColumns)} from (
        select * from transactions where environment_id = ${environmentId} and id >= ${from} and id < ${below}
          order by id desc limit ${isFiltered ? scanMax : limit + 1}
      ) t join ledger_books b on b.id = t.book_id
      where (${type}::text is null or t.type = ${type}) and (${status}::text is null or t.status = ${status})
        and (${currency}::text is null or b.currency = ${currency})
      order by t.id desc limit ${limit + 1}`
  // One row more than a page tells whether there is a next page.
  const transactions = found.slice(0, limit)
  if (found.length > limit) return { transactions, next: transactions.at(-1)?.id }
  if (!isFiltered) return { transactions, next: undefined }
  const [last, further] = await select<{ id: string }>(tx)`
    select id from transactions where environment_id = ${environmentId} and id >= ${from} and id < ${below}
      order by id desc offset ${scanMax - 1} limit 2`
  return { transactions, next: further && last?.id }
}
