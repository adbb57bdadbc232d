import type { Tx } from '../base/db.ts'
import type { ChargeType } from '../charge/price.ts'
import { timeOfId } from '../base/id.ts'
import { defineDocument, type Document } from '../ledger/document.ts'
import type { TransactionStatus } from './status.ts'

export type TransactionType =
  | 'VOUCHER_REDEMPTION'
  | 'VOUCHER_PURCHASE'
  | 'PAYMENT_REQUEST'
  | 'PAYOUT'
  | 'INVOICE_PAYMENT'
  | 'REFUND'
  | 'ADJUSTMENT'

/** A transaction's row, to travel in the commit of its journal. */
export const transactionDocument = defineDocument('transactions', {
  environment_id: 'uuid',
  id: 'uuid',
  reference: 'text',
  type: 'text',
  status: 'text',
  book_id: 'smallint',
  amount: 'numeric',
  charged: 'numeric',
  charge_type: 'text',
  metadata: 'text',
  created_at: 'timestamptz',
  user_id: 'uuid',
})

type Moved = {
  readonly environmentId: string
  readonly id: string
  readonly bookId: number
  readonly amount: bigint
  readonly metadata?: string
  readonly userId?: string
  /** Not yet done. */
  readonly status?: TransactionStatus
}

/** A transaction that costs nothing. Unless it says otherwise it is done when it is made. */
export function freeTransaction(type: TransactionType, reference: string, moved: Moved): Document {
  const { environmentId, id, bookId, amount, metadata = '', userId = null, status = 'COMPLETED' } = moved
  return transactionDocument({
    environment_id: environmentId,
    id,
    reference,
    type,
    status,
    book_id: bookId,
    amount,
    charged: amount,
    charge_type: 'NONE',
    metadata,
    created_at: timeOfId(id),
    user_id: userId,
  })
}

/** What came to a merchant's balance, or left it, without anybody's request for payment: by its own journal's id. */
export function adjustmentDocument(moved: Moved): Document {
  return freeTransaction('ADJUSTMENT', moved.id, moved)
}

export type Transaction = {
  readonly id: string
  /** Whom it concerns, if a person. */
  readonly userId: string | null
  readonly reference: string
  readonly type: TransactionType
  readonly status: TransactionStatus
  readonly bookId: number
  readonly currency: string
  readonly amount: bigint
  readonly charged: bigint
  readonly chargeType: ChargeType
  readonly metadata: string
  /** How much of the amount was given back. */
  readonly refunded: bigint
  readonly createdAt: Date
  readonly updatedAt: Date
}

type Row = Omit<Transaction, 'amount' | 'charged' | 'refunded'> & Record<'amount' | 'charged' | 'refunded', string>

const columns = `t.id, t.user_id as "userId", t.reference, t.type, t.status, t.book_id as "bookId", b.currency, t.amount, t.charged, t.charge_type as "chargeType",
  t.metadata, t.refunded, t.created_at as "createdAt", coalesce(t.updated_at, t.created_at) as "updatedAt"`

export async function findTransaction(
  tx: Tx,
  environmentId: string,
  reference: string,
  lock: '' | 'for no key update of t' = '',
): Promise<Transaction | undefined> {
  const { rows } = await tx.query<Row>(
    `select ${columns} from transactions t join ledger_books b on b.id = t.book_id
      where t.environment_id = $1 and t.reference = $2 ${lock}`,
    [environmentId, reference],
  )
  return rows.map(toTransaction)[0]
}

/** The transaction is locked by the caller, or what it belongs to is. */
export async function moveTransaction(
  tx: Tx,
  { environmentId, id }: { readonly environmentId: string; readonly id: string },
  status: TransactionStatus,
  at: Date,
): Promise<void> {
  await tx.query('update transactions set status = $3, updated_at = $4 where environment_id = $1 and id = $2', [
    environmentId,
    id,
    status,
    at,
  ])
}

/** The transaction is locked by the caller. What is whole refunded says so. */
export async function noteRefund(tx: Tx, environmentId: string, id: string, amount: bigint, at: Date): Promise<void> {
  await tx.query(
    `update transactions set refunded = refunded + $3, updated_at = $4,
      status = case when refunded + $3 = amount then 'REFUNDED' else status end where environment_id = $1 and id = $2`,
    [environmentId, id, String(amount), at],
  )
}

/** The lowest id that can have been made at a time. An id carries its milliseconds, and rows are made with their ids. */
export function firstIdAt(at: Date): string {
  const ms = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8, 12)}-0000-0000-000000000000`
}

export type TransactionFilter = {
  readonly type: string | undefined
  readonly status: string | undefined
  readonly currency: string | undefined
}
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
  const { rows } = await tx.query<Row>(
    `select ${columns} from (
       select * from transactions where environment_id = $1 and id >= $2 and id < $3 order by id desc limit $4
     ) t join ledger_books b on b.id = t.book_id
     where ($5::text is null or t.type = $5) and ($6::text is null or t.status = $6) and ($7::text is null or b.currency = $7)
     order by t.id desc limit $8`,
    [environmentId, from, below, isFiltered ? scanMax : limit, type, status, currency, limit],
  )
  if (rows.length === limit || !isFiltered)
    return { transactions: rows.map(toTransaction), next: rows.length === limit ? rows.at(-1)?.id : undefined }
  const last = await tx.query<{ id: string }>(
    `select id from transactions where environment_id = $1 and id >= $2 and id < $3 order by id desc offset $4 limit 1`,
    [environmentId, from, below, scanMax - 1],
  )
  return { transactions: rows.map(toTransaction), next: last.rows[0]?.id }
}

function toTransaction(row: Row): Transaction {
  return { ...row, amount: BigInt(row.amount), charged: BigInt(row.charged), refunded: BigInt(row.refunded) }
}
