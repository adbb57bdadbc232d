import type { Tx } from '../base/db.ts'
import type { ChargeType } from '../charge/price.ts'
import { timeOfId } from '../base/id.ts'
import { execute, raw, select, selectOne, selectValue } from '../base/sql.ts'
import { defineDocument, type Document, type NewRow, type StoredRow } from '../ledger/document.ts'
import type { TransactionStatus } from './status.ts'

export type TransactionType =
  | 'VOUCHER_REDEMPTION'
  | 'VOUCHER_PURCHASE'
  | 'PAYMENT_REQUEST'
  | 'PAYOUT'
  | 'INVOICE_PAYMENT'
  | 'WALLET_DEPOSIT'
  | 'REFUND'
  | 'ADJUSTMENT'

/** A transaction's row, to travel in the commit of its journal. */
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
  /** Whom it concerns, if a person. */
  userId: 'uuid?',
  /** Who of the staff did it. None: a key. */
  memberId: 'uuid?',
  /** The last symbols of its voucher's code. */
  codeTail: 'text?',
  /** Of a refund: what it gave back. */
  refundOf: 'uuid?',
  /** Made with the public key alone. */
  byPublicKey: 'boolean?',
})

type New = NewRow<typeof transactionDocument>
type Moved = Omit<New, 'reference' | 'type' | 'status' | 'charged' | 'chargeType' | 'metadata' | 'createdAt'> & {
  readonly metadata?: string
  /** Not yet done. */
  readonly status?: TransactionStatus
}

/** A transaction that costs nothing. Unless it says otherwise it is done when it is made. */
export function freeTransaction(type: TransactionType, reference: string, moved: Moved): Document {
  const free = { charged: moved.amount, chargeType: 'NONE', createdAt: timeOfId(moved.id) }
  return transactionDocument({ metadata: '', status: 'COMPLETED', ...moved, ...free, type, reference })
}

/** What came to a merchant's balance, or left it, without anybody's request for payment: by its own journal's id. */
export function adjustmentDocument(moved: Moved): Document {
  return freeTransaction('ADJUSTMENT', moved.id, moved)
}

export type Transaction = Omit<StoredRow<typeof transactionDocument>, 'environmentId' | 'byPublicKey'> & {
  readonly type: TransactionType
  readonly status: TransactionStatus
  readonly currency: string
  readonly chargeType: ChargeType
  /** How much of the amount was given back. */
  readonly refunded: bigint
  /** The journal that moved its money, where that is not the one that made it. */
  readonly settledBy: string | null
  readonly updatedAt: Date
}

/** What a payment or a payout has of its transaction. */
export type TransactionFacts = Pick<
  Transaction,
  'id' | 'reference' | 'status' | 'bookId' | 'currency' | 'amount' | 'createdAt'
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

/** The transaction is locked by the caller, or what it belongs to is. */
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
  // Of all that becomes of a transaction this alone changes a day that is over.
  if (status === 'REVERSED') await execute(tx)`delete from settled_days where environment_id = ${environmentId}`
}

/** Until the end of the transaction. Nobody keeps the sum of a day while it is being changed. */
export async function lockDays(tx: Tx, environmentId: string, how: 'shared' | 'alone'): Promise<void> {
  const lock = how === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
  await execute(tx)`select ${raw(lock)}(hashtextextended(${`settled days ${environmentId}`}, 0))`
}

/** The transaction is locked by the caller. What is whole refunded says so. */
export async function noteRefund(tx: Tx, environmentId: string, id: string, amount: bigint, at: Date): Promise<void> {
  await execute(tx)`
    update transactions set refunded = refunded + ${amount}, updated_at = ${at},
      status = case when refunded + ${amount} = amount then 'REFUNDED' else status end
      where environment_id = ${environmentId} and id = ${id}`
}

/** The lowest id that can have been made at a time. An id carries its milliseconds, and rows are made with their ids. */
export function firstIdAt(at: Date): string {
  const ms = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8, 12)}-0000-0000-000000000000`
}

export type TransactionFilter = Readonly<Record<'type' | 'status' | 'currency', string | undefined>>
/** Ids rise with time, so a range of time is a range of ids. */
export type IdRange = { readonly from: string; readonly below: string }

/**
 * Newest first. A filter looks at no more than the next `scanMax`, so that one that finds little costs no more than one that
 * finds much. `next` is where to go on, also from a page that is short or empty.
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
  const transactions = await select<Transaction>(tx)`
    select ${raw(transactionColumns)} from (
        select * from transactions where environment_id = ${environmentId} and id >= ${from} and id < ${below}
          order by id desc limit ${isFiltered ? scanMax : limit}
      ) t join ledger_books b on b.id = t.book_id
      where (${type}::text is null or t.type = ${type}) and (${status}::text is null or t.status = ${status})
        and (${currency}::text is null or b.currency = ${currency})
      order by t.id desc limit ${limit}`
  const isWhole = transactions.length === limit
  if (isWhole || !isFiltered) return { transactions, next: isWhole ? transactions.at(-1)?.id : undefined }
  const next = await selectValue<string>(tx)`
    select id from transactions where environment_id = ${environmentId} and id >= ${from} and id < ${below}
      order by id desc offset ${scanMax - 1} limit 1`
  return { transactions, next }
}
