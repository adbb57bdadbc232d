import type { Tx } from '../base/db.ts'
import { selectOne, selectValue } from '../base/sql.ts'
import type { Price } from '../exchange/price.ts'
import { defineDocument, type StoredRow } from '../ledger/document.ts'

type PriceThen = Pick<Price, 'rate' | 'spreadPpm'>
type Converted = { readonly bookId: number; readonly amount: bigint; readonly price: PriceThen }
type Redeemed = {
  readonly voucherId: string
  readonly bookId: number
  /** What the merchant received, if the currency was converted. */
  readonly converted: Converted | undefined
}

/**
 * The voucher and amounts of a redemption. The redemption and its journal share one id, and the journal names the
 * voucher.
 */
export async function findRedeemed(tx: Tx, id: string): Promise<Redeemed> {
  const row = await selectOne<RedeemedRow>(tx)`
    select r.voucher_id as "voucherId", t.book_id as "bookId", r.to_book_id as "toBookId", r.to_amount as "toAmount",
        r.rate_numerator as numerator, r.rate_denominator as denominator, coalesce(r.spread_ppm, 0) as spread
      from ledger_transfers t join redemptions r on r.voucher_id = t.from_owner and r.id = t.journal_id
      where t.journal_id = ${id} and t.from_kind = 'voucher' limit 1`
  if (row === undefined) throw new Error('A redemption has no journal.')
  const { voucherId, bookId, toBookId, toAmount, ...then } = row
  if (toBookId === null) return { voucherId, bookId, converted: undefined }
  return { voucherId, bookId, converted: { bookId: toBookId, amount: toAmount, price: priceThen(then) } }
}
type RedeemedRow = { voucherId: string; bookId: number; toBookId: number | null; toAmount: bigint } & PriceColumns

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

/** The payer and the amounts of a paid payment request. */
export async function findPaid(tx: Tx, id: string): Promise<PaidRequest> {
  // Payments from before rates were recorded get their rate from their amounts.
  const row = await selectOne<{ userId: string; bookId: number; amount: bigint; merchant: string } & PriceColumns>(tx)`
    select r.user_id as "userId", r.paid_book_id as "bookId", r.paid_amount as amount,
        coalesce(r.paid_rate_numerator, trunc(t.amount * 10::numeric ^ pc.decimals)) as numerator,
        coalesce(r.paid_rate_denominator, trunc(r.paid_amount * 10::numeric ^ tc.decimals)) as denominator,
        coalesce(r.paid_spread_ppm, 0) as spread,
        coalesce(nullif(m.trading_name, ''), m.company_name) as merchant
      from payment_requests r join merchant_environments e on e.id = r.environment_id
      join merchants m on m.id = e.merchant_id
      join transactions t on t.environment_id = r.environment_id and t.id = r.id
      join ledger_books tb on tb.id = t.book_id join currencies tc on tc.abbreviation = tb.currency
      join ledger_books pb on pb.id = r.paid_book_id join currencies pc on pc.abbreviation = pb.currency
      where r.id = ${id}`
  if (row === undefined) throw new Error('A payment has no request.')
  const { userId, bookId, amount, merchant, ...then } = row
  return { userId, paid: { bookId, amount, price: priceThen(then) }, merchant }
}

/** What the payer received: the last transfer of the refund's journal, or 0 if it converted to nothing. */
export async function findReturned(tx: Tx, id: string): Promise<{ currency: string; amount: bigint }> {
  const found = await selectOne<{ currency: string; amount: bigint }>(tx)`
    select b.currency, case when t.to_kind = 'exchange' then 0 else t.amount end as amount
      from ledger_transfers t join ledger_books b on b.id = t.book_id where t.journal_id = ${id}
      order by t.position desc limit 1`
  if (found === undefined) throw new Error('A refund has no transfers.')
  return found
}

/** Stored in the commit that requests the refund of a deposit. Its transaction has its status. */
export const depositRefundDocument = defineDocument('deposit_refunds', {
  environmentId: 'uuid',
  id: 'uuid',
  depositId: 'uuid',
  /** The unmatched deposit that is returned. Null: a part of the credited amount. */
  caseId: 'uuid?',
  userId: 'uuid?',
  toEnvironmentId: 'uuid?',
  /** The voucher that it is paid by, whose holder names an address. */
  voucherId: 'uuid?',
  note: 'text',
  createdAt: 'timestamptz',
})

export type DepositRefund = Omit<StoredRow<typeof depositRefundDocument>, 'createdAt'> & {
  /** The references of the refund and of the deposit. */
  readonly reference: string
  readonly depositReference: string
  readonly bookId: number
  readonly currency: string
  readonly amount: bigint
}

/** A requested refund of a deposit. The transaction acts for its environment. */
export async function findDepositRefund(tx: Tx, environmentId: string, id: string): Promise<DepositRefund | undefined> {
  return selectOne<DepositRefund>(tx)`
    select r.environment_id as "environmentId", r.id, r.deposit_id as "depositId", r.case_id as "caseId",
        r.user_id as "userId", r.to_environment_id as "toEnvironmentId", r.voucher_id as "voucherId", r.note, t.reference,
        d.reference as "depositReference", t.book_id as "bookId", b.currency, t.amount
      from deposit_refunds r
      join transactions t on t.environment_id = r.environment_id and t.id = r.id
      join transactions d on d.environment_id = r.environment_id and d.id = r.deposit_id
      join ledger_books b on b.id = t.book_id
      where r.environment_id = ${environmentId} and r.id = ${id}`
}

/** What was requested and not sent yet of a deposit's credited amount. */
export async function sumWaitingRefunds(tx: Tx, environmentId: string, depositId: string): Promise<bigint> {
  const sum = await selectValue<bigint>(tx)`
    select coalesce(sum(t.amount), 0) from deposit_refunds r
      join transactions t on t.environment_id = r.environment_id and t.id = r.id
      where r.environment_id = ${environmentId} and r.deposit_id = ${depositId} and r.case_id is null
        and t.status in ('PENDING', 'APPROVED')`
  return sum ?? 0n
}

/** Whether this user or merchant has received a refund of a deposit of this environment before. */
export async function hasRefunded(tx: Tx, environmentId: string, recipientId: string): Promise<boolean> {
  const found = await selectValue<boolean>(tx)`
    select exists (select from deposit_refunds r
      join transactions t on t.environment_id = r.environment_id and t.id = r.id
      where r.environment_id = ${environmentId} and coalesce(r.user_id, r.to_environment_id) = ${recipientId}
        and t.status = 'COMPLETED') as has`
  return found === true
}

/** Whether a redemption paid an address, and not the treasury for the merchant: the merchant never had the money. */
export async function hasPaidAddress(tx: Tx, id: string): Promise<boolean> {
  const found = await selectOne<{ isAddress: boolean }>(tx)`
    select a.recipient <> coalesce(n.treasury, '') as "isAddress" from address_redemptions a
      join networks n on n.id = a.network_id where a.id = ${id}`
  return found?.isAddress === true
}
