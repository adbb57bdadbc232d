import { oneOf, orNull } from '../../base/column-type.ts'
import type { Db, Tx } from '../../base/db.ts'
import { timeOfId } from '../../base/id.ts'
import { list, type RowOf, select, selectOne, sql } from '../../base/sql.ts'
import { defineTable, type NewRow } from '../../base/table.ts'
import { type Document, documentOf } from '../../ledger/document.ts'

export const redemptions = defineTable('redemptions', {
  voucherId: sql.uuid,
  id: sql.uuid,
  environmentId: sql.uuid,
  amount: sql.numeric,
  charge: sql.numeric,
  chargedTo: oneOf(['voucher', 'merchant']),
  toBookId: orNull(sql.smallint),
  toAmount: orNull(sql.numeric),
  rateNumerator: orNull(sql.numeric),
  rateDenominator: orNull(sql.numeric),
  rateSource: orNull(sql.text),
  rateSaidAt: orNull(sql.timestamptz),
  spreadPpm: orNull(sql.integer),
  /** Null for redemptions from before receipts had keys. */
  receiptKey: orNull(sql.smallint),
  createdAt: sql.timestamptz,
  /** The user whose wallet was credited, if it was not the merchant's balance. */
  userId: orNull(sql.uuid),
})

export const redemptionDocument = documentOf(redemptions)

const redemptionColumns = list({
  ...redemptions.columns('r', 'id', 'amount', 'charge', 'chargedTo', 'toAmount', 'createdAt'),
  toCurrency: orNull(sql.text)`b.currency`,
  receiptKey: sql.smallint`coalesce(r.receipt_key, 0::smallint)`,
})
/** A redemption as it was posted. */
export type RedemptionRow = Omit<RowOf<typeof redemptionColumns>, 'toCurrency' | 'toAmount'> & {
  /** What the merchant received, if the currency was converted. */
  readonly to: { readonly currency: string; readonly amount: bigint } | undefined
}

export async function findRedemption(tx: Tx, voucherId: string, id: string): Promise<RedemptionRow | undefined> {
  const row = await selectOne(tx)`
    select ${redemptionColumns}
      from all_redemptions r left join ledger_books b on b.id = r.to_book_id
      where r.voucher_id = ${voucherId} and r.id = ${id}`
  if (row === undefined) return undefined
  const { toCurrency, toAmount, ...rest } = row
  const isConverted = toCurrency !== null && toAmount !== null
  return { ...rest, to: isConverted ? { currency: toCurrency, amount: toAmount } : undefined }
}

const listedColumns = list({
  ...redemptions.columns('', 'id', 'environmentId', 'userId', 'amount', 'createdAt'),
  merchantId: sql.uuid`merchant_id`,
  merchantCode: sql.text`merchant_code`,
  merchantName: sql.text`merchant_name`,
  /** The address that was paid, if any. */
  recipient: orNull(sql.text)`recipient`,
})
export type ListedRedemption = RowOf<typeof listedColumns>

/** Redemptions of a voucher at all merchants, newest first. */
export async function listRedemptions(db: Db, voucherId: string, limit: number): Promise<ListedRedemption[]> {
  return select(db)`select ${listedColumns} from redemptions_of_voucher(${voucherId}, ${limit})`
}

const moveKinds = [
  'refund',
  'expiry',
  'reopening',
  'cancel',
  'replacement',
  'return',
  'reload',
  'void',
  'cash_back',
] as const
export type MoveKind = (typeof moveKinds)[number]

const voucherMoves = defineTable('voucher_moves', {
  voucherId: sql.uuid,
  /** The id of its journal. */
  id: sql.uuid,
  /** The environment that acted. */
  environmentId: sql.uuid,
  kind: oneOf(moveKinds),
  amount: sql.numeric,
  /** Set for refunds. */
  redemptionId: orNull(sql.uuid),
  reason: sql.text,
  createdAt: sql.timestamptz,
})
const moveRow = documentOf(voucherMoves)

type Move = Omit<NewRow<typeof voucherMoves>, 'reason' | 'createdAt'> & { readonly reason?: string }

/** The record of a balance change other than a redemption, stored in the commit of its journal. */
export function moveDocument(move: Move): Document {
  return moveRow({ reason: '', ...move, createdAt: timeOfId(move.id) })
}

const historyColumns = list({
  ...voucherMoves.columns('', 'id', 'amount', 'createdAt'),
  kind: oneOf(['redemption', ...moveKinds])`kind`,
  /** The fee taken from the voucher on top of the amount. */
  charge: sql.numeric`charge`,
  merchantName: sql.text`merchant_name`,
})
export type HistoryEntry = RowOf<typeof historyColumns>

/** Redemptions and other balance changes of a voucher, newest first. */
export async function readHistory(db: Db, voucherId: string, limit: number): Promise<HistoryEntry[]> {
  return select(db)`select ${historyColumns} from history_of_voucher(${voucherId}, ${limit})`
}
