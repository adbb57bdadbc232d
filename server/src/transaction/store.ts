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
  readonly type?: string | undefined
  readonly status?: string | undefined
  readonly currency?: string | undefined
  /** Ids rise with time, so a time is a place in their order. */
  readonly idFrom: string
  readonly idBelow: string
}

/**
 * Newest first, as many as fit and were found among the next `scanMax`: a filter that finds little costs no more than one
 * that finds much. `next` is where to go on, also from a page that is short or empty.
 */
export async function listTransactions(
  tx: Tx,
  environmentId: string,
  filter: TransactionFilter,
  limit: number,
  scanMax: number,
): Promise<{ transactions: Transaction[]; next: string | undefined }> {
  const { rows } = await tx.query<Row & { isWanted: boolean; scanned: bigint }>(
    `with scanned as (
       select t.*, b.currency, row_number() over (order by t.id desc) as place
       from transactions t join ledger_books b on b.id = t.book_id
       where t.environment_id = $1 and t.id >= $2 and t.id < $3 order by t.id desc limit $4
     ), wanted as (
       select * from scanned
       where ($5::text is null or type = $5) and ($6::text is null or status = $6) and ($7::text is null or currency = $7)
       order by id desc limit $8
     )
     select id, reference, type, status, currency, amount, charged, charge_type as "chargeType", metadata,
       created_at as "createdAt", true as "isWanted", 0::bigint as scanned from wanted
     union all
     (select id, reference, type, status, currency, amount, charged, charge_type, metadata, created_at, false, place
       from scanned order by id limit 1)`,
    [environmentId, filter.idFrom, filter.idBelow, scanMax, filter.type, filter.status, filter.currency, limit],
  )
  const transactions = rows.filter(({ isWanted }) => isWanted).map(toTransaction)
  const last = rows.find(({ isWanted }) => !isWanted)
  if (transactions.length === limit) return { transactions, next: transactions.at(-1)?.id }
  return { transactions, next: last !== undefined && last.scanned === BigInt(scanMax) ? last.id : undefined }
}

function toTransaction({ amount, charged, ...row }: Row): Transaction {
  const { id, reference, type, status, currency, chargeType, metadata, createdAt } = row
  const money = { amount: BigInt(amount), charged: BigInt(charged) }
  return { id, reference, type, status, currency, chargeType, metadata, createdAt, ...money }
}
