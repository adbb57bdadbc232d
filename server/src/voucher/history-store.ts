import type { Db, Tx } from '../base/db.ts'
import { timeOfId } from '../base/id.ts'
import { select, selectOne } from '../base/sql.ts'
import { defineDocument, type Document, type NewRow, type StoredRow } from '../ledger/document.ts'

export const redemptionDocument = defineDocument('redemptions', {
  voucherId: 'uuid',
  id: 'uuid',
  environmentId: 'uuid',
  amount: 'numeric',
  charge: 'numeric',
  chargedTo: 'text',
  toBookId: 'smallint?',
  toAmount: 'numeric?',
  rateNumerator: 'numeric?',
  rateDenominator: 'numeric?',
  rateSource: 'text?',
  rateSaidAt: 'timestamptz?',
  spreadPpm: 'integer?',
  receiptKey: 'smallint',
  createdAt: 'timestamptz',
  /** The user whose wallet was credited, if it was not the merchant's balance. */
  userId: 'uuid?',
})

type Redemption = StoredRow<typeof redemptionDocument>
/** A redemption as it was posted. */
export type RedemptionRow = Pick<Redemption, 'id' | 'amount' | 'charge' | 'receiptKey' | 'createdAt'> & {
  readonly chargedTo: 'voucher' | 'merchant'
  /** What the merchant received, if the currency was converted. */
  readonly to: { readonly currency: string; readonly amount: bigint } | undefined
}

export async function findRedemption(tx: Tx, voucherId: string, id: string): Promise<RedemptionRow | undefined> {
  const row = await selectOne<Omit<RedemptionRow, 'to'> & { toCurrency: string | null; toAmount: bigint }>(tx)`
    select r.id, r.amount, r.charge, r.charged_to as "chargedTo", b.currency as "toCurrency", r.to_amount as "toAmount",
        coalesce(r.receipt_key, 0) as "receiptKey", r.created_at as "createdAt"
      from redemptions r left join ledger_books b on b.id = r.to_book_id
      where r.voucher_id = ${voucherId} and r.id = ${id}`
  if (row === undefined) return undefined
  const { toCurrency, toAmount, ...rest } = row
  return { ...rest, to: toCurrency === null ? undefined : { currency: toCurrency, amount: toAmount } }
}

export type ListedRedemption = Pick<Redemption, 'id' | 'environmentId' | 'userId' | 'amount' | 'createdAt'> & {
  readonly merchantId: string
  readonly merchantCode: string
  readonly merchantName: string
  /** The address that was paid, if any. */
  readonly recipient: string | null
}

/** Redemptions of a voucher at all merchants, newest first. */
export async function listRedemptions(db: Db, voucherId: string, limit: number): Promise<ListedRedemption[]> {
  return select<ListedRedemption>(db)`
    select id, environment_id as "environmentId", user_id as "userId", merchant_id as "merchantId",
      merchant_code as "merchantCode", merchant_name as "merchantName", amount, created_at as "createdAt", recipient
      from redemptions_of_voucher(${voucherId}, ${limit})`
}

export type MoveKind = 'refund' | 'expiry' | 'reopening' | 'cancel' | 'replacement' | 'return'

const moveRow = defineDocument('voucher_moves', {
  voucherId: 'uuid',
  /** The id of its journal. */
  id: 'uuid',
  /** The environment that acted. */
  environmentId: 'uuid',
  kind: 'text',
  amount: 'numeric',
  /** Set for refunds. */
  redemptionId: 'uuid?',
  reason: 'text',
  createdAt: 'timestamptz',
})

type Move = Omit<NewRow<typeof moveRow>, 'reason' | 'createdAt'> & {
  readonly kind: MoveKind
  readonly reason?: string
}

/** The record of a balance change other than a redemption, stored in the commit of its journal. */
export function moveDocument(move: Move): Document {
  return moveRow({ reason: '', ...move, createdAt: timeOfId(move.id) })
}

export type HistoryEntry = {
  readonly id: string
  readonly kind: 'redemption' | MoveKind
  readonly amount: bigint
  /** The fee taken from the voucher on top of the amount. */
  readonly charge: bigint
  readonly createdAt: Date
  readonly merchantName: string
}

/** Redemptions and other balance changes of a voucher, newest first. */
export async function readHistory(db: Db, voucherId: string, limit: number): Promise<HistoryEntry[]> {
  return select<HistoryEntry>(db)`
    select id, kind, amount, charge, created_at as "createdAt", merchant_name as "merchantName"
      from history_of_voucher(${voucherId}, ${limit})`
}
