import type { Tx } from '../base/db.ts'
import type { ChargeType } from '../charge/price.ts'
import { defineDocument } from '../ledger/document.ts'

export type TransactionType = 'VOUCHER_REDEMPTION' | 'VOUCHER_PURCHASE'

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
})

export type Transaction = {
  readonly id: string
  readonly reference: string
  readonly type: TransactionType
  readonly status: 'COMPLETED'
  readonly currency: string
  readonly amount: bigint
  readonly charged: bigint
  readonly chargeType: ChargeType
  readonly metadata: string
  readonly createdAt: Date
}

type Row = Omit<Transaction, 'amount' | 'charged'> & { amount: string; charged: string }

const columns = `t.id, t.reference, t.type, t.status, b.currency, t.amount, t.charged, t.charge_type as "chargeType",
  t.metadata, t.created_at as "createdAt"`

export async function findTransaction(
  tx: Tx,
  environmentId: string,
  reference: string,
): Promise<Transaction | undefined> {
  const { rows } = await tx.query<Row>(
    `select ${columns} from transactions t join ledger_books b on b.id = t.book_id
      where t.environment_id = $1 and t.reference = $2`,
    [environmentId, reference],
  )
  return rows.map(toTransaction)[0]
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

function toTransaction({ amount, charged, ...row }: Row): Transaction {
  const { id, reference, type, status, currency, chargeType, metadata, createdAt } = row
  const money = { amount: BigInt(amount), charged: BigInt(charged) }
  return { id, reference, type, status, currency, chargeType, metadata, createdAt, ...money }
}
