import type { Tx } from '../../base/db.ts'
import { orNull } from '../../base/column-type.ts'
import { list, type RowOf, selectOne, selectValue, sql } from '../../base/sql.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { defineTable } from '../../base/table.ts'
import type { Price } from '../../catalogue/exchange/price.ts'
import { documentOf } from '../../ledger/document.ts'
import { transactions } from '../../payments/transaction/store.ts'

type PriceThen = Pick<Price, 'rate' | 'spreadPpm'>
type Converted = { readonly bookId: number; readonly amount: bigint; readonly price: PriceThen }
type Redeemed = {
  readonly voucherId: string
  readonly bookId: number
  /** What the merchant received, if the currency was converted. */
  readonly converted: Converted | undefined
}

const redeemedColumns = list({
  voucherId: sql.uuid`r.voucher_id`,
  bookId: sql.smallint`t.book_id`,
  /** Null if the currency was not converted, as are the amount and the rate. */
  toBookId: orNull(sql.smallint)`r.to_book_id`,
  toAmount: orNull(sql.numeric)`r.to_amount`,
  numerator: orNull(sql.numeric)`r.rate_numerator`,
  denominator: orNull(sql.numeric)`r.rate_denominator`,
  spread: sql.integer`coalesce(r.spread_ppm, 0)`,
})

/**
 * The voucher and amounts of a redemption. The redemption and its journal share one id, and the journal names the
 * voucher.
 */
export async function findRedeemed(tx: Tx, id: string): Promise<Redeemed> {
  const row = await selectOne(tx)`
    select ${redeemedColumns}
      from all_transfers t join all_redemptions r on r.voucher_id = t.from_owner and r.id = t.journal_id
      where t.journal_id = ${id} and t.from_kind in ('voucher', 'store_voucher') limit 1`
  if (row === undefined) throw new Error('A redemption has no journal.')
  const { voucherId, bookId, toBookId, toAmount, numerator, denominator, spread } = row
  if (toBookId === null) return { voucherId, bookId, converted: undefined }
  if (toAmount === null || numerator === null || denominator === null)
    throw new Error('A converted redemption has no rate.')
  const price = priceThen({ numerator, denominator, spread })
  return { voucherId, bookId, converted: { bookId: toBookId, amount: toAmount, price } }
}

type PriceColumns = { readonly numerator: bigint; readonly denominator: bigint; readonly spread: number }

function priceThen({ numerator, denominator, spread }: PriceColumns): PriceThen {
  return { rate: { numerator, denominator }, spreadPpm: BigInt(spread) }
}

type PaidRequest = {
  readonly userId: string
  /** What left the wallet. */
  readonly paid: Converted
  /** The name of the merchant. */
  readonly merchant: string
}

// Payments from before rates were recorded get their rate from their amounts.
const paidColumns = list({
  userId: sql.uuid`r.user_id`,
  bookId: sql.smallint`r.paid_book_id`,
  amount: sql.numeric`r.paid_amount`,
  numerator: sql.numeric`coalesce(r.paid_rate_numerator, trunc(t.amount * 10::numeric ^ pc.decimals))`,
  denominator: sql.numeric`coalesce(r.paid_rate_denominator, trunc(r.paid_amount * 10::numeric ^ tc.decimals))`,
  spread: sql.integer`coalesce(r.paid_spread_ppm, 0)`,
  merchant: sql.text`coalesce(nullif(m.trading_name, ''), m.company_name)`,
})

/** The payer and the amounts of a paid payment request. */
export async function findPaid(tx: Tx, id: string): Promise<PaidRequest> {
  const row = await selectOne(tx)`
    select ${paidColumns}
      from payment_requests r join merchant_environments e on e.id = r.environment_id
      join merchants m on m.id = e.merchant_id
      join all_transactions t on t.environment_id = r.environment_id and t.id = r.id
      join ledger_books tb on tb.id = t.book_id join currencies tc on tc.abbreviation = tb.currency
      join ledger_books pb on pb.id = r.paid_book_id join currencies pc on pc.abbreviation = pb.currency
      where r.id = ${id}`
  if (row === undefined) throw new Error('A payment has no request.')
  const { userId, bookId, amount, merchant, ...then } = row
  return { userId, paid: { bookId, amount, price: priceThen(then) }, merchant }
}

const returnedColumns = list({
  ...ledgerBooks.columns('b', 'currency'),
  amount: sql.numeric`case when t.to_kind = 'exchange' then 0 else t.amount end`,
})

/** What the payer received: the last transfer of the refund's journal, or 0 if it converted to nothing. */
export async function findReturned(tx: Tx, id: string): Promise<RowOf<typeof returnedColumns>> {
  const found = await selectOne(tx)`
    select ${returnedColumns}
      from ledger_transfers t join ledger_books b on b.id = t.book_id where t.journal_id = ${id}
      order by t.position desc limit 1`
  if (found === undefined) throw new Error('A refund has no transfers.')
  return found
}

const depositRefunds = defineTable('deposit_refunds', {
  environmentId: sql.uuid,
  id: sql.uuid,
  depositId: sql.uuid,
  /** The unmatched deposit that is returned. Null: a part of the credited amount. */
  caseId: orNull(sql.uuid),
  userId: orNull(sql.uuid),
  toEnvironmentId: orNull(sql.uuid),
  /** The voucher that it is paid by, whose holder names an address. */
  voucherId: orNull(sql.uuid),
  note: sql.text,
  createdAt: sql.timestamptz,
})

/** Stored in the commit that requests the refund of a deposit. Its transaction has its status. */
export const depositRefundDocument = documentOf(depositRefunds)

const refundColumns = list({
  ...depositRefunds.columns('r', 'environmentId', 'id', 'depositId', 'caseId', 'userId', 'toEnvironmentId'),
  ...depositRefunds.columns('r', 'voucherId', 'note'),
  ...transactions.columns('t', 'reference', 'bookId', 'amount'),
  depositReference: sql.text`d.reference`,
  ...ledgerBooks.columns('b', 'currency'),
})
export type DepositRefund = RowOf<typeof refundColumns>

/** A requested refund of a deposit. The transaction acts for its environment. */
export async function findDepositRefund(tx: Tx, environmentId: string, id: string): Promise<DepositRefund | undefined> {
  return selectOne(tx)`
    select ${refundColumns}
      from deposit_refunds r
      join all_transactions t on t.environment_id = r.environment_id and t.id = r.id
      join all_transactions d on d.environment_id = r.environment_id and d.id = r.deposit_id
      join ledger_books b on b.id = t.book_id
      where r.environment_id = ${environmentId} and r.id = ${id}`
}

/** What was requested and not sent yet of a deposit's credited amount. */
export async function sumWaitingRefunds(tx: Tx, environmentId: string, depositId: string): Promise<bigint> {
  const sum = await selectValue(tx)`
    select ${sql.numeric`coalesce(sum(t.amount), 0)`} from deposit_refunds r
      join all_transactions t on t.environment_id = r.environment_id and t.id = r.id
      where r.environment_id = ${environmentId} and r.deposit_id = ${depositId} and r.case_id is null
        and t.status in ('PENDING', 'APPROVED')`
  return sum ?? 0n
}

/** Whether this user or merchant has received a refund of a deposit of this environment before. */
export async function hasRefunded(tx: Tx, environmentId: string, recipientId: string): Promise<boolean> {
  const found = await selectValue(tx)`
    select ${sql.boolean`exists (select from deposit_refunds r
      join all_transactions t on t.environment_id = r.environment_id and t.id = r.id
      where r.environment_id = ${environmentId} and coalesce(r.user_id, r.to_environment_id) = ${recipientId}
        and t.status = 'COMPLETED')`}`
  return found === true
}

/** Whether a redemption paid an address, and not the treasury for the merchant: the merchant never had the money. */
export async function hasPaidAddress(tx: Tx, id: string): Promise<boolean> {
  const found = await selectValue(tx)`
    select ${sql.boolean`a.recipient <> coalesce(n.treasury, '')`} from address_redemptions a
      join networks n on n.id = a.network_id where a.id = ${id}`
  return found === true
}
