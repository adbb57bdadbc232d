import type { Tx } from '../base/db.ts'
import { selectOne } from '../base/sql.ts'
import type { Price } from '../exchange/price.ts'

/**
 * What a redemption took from which voucher, and what the merchant got for it where the currency changed. By the redemption's id, which
 * is that of its journal: the journal knows the voucher.
 */
export async function findRedeemed(tx: Tx, id: string) {
  const row = await selectOne<Redeemed>(tx)`
    select r.voucher_id as "voucherId", t.book_id as "bookId", r.to_book_id as "toBookId", r.to_amount as "toAmount",
        r.rate_numerator as numerator, r.rate_denominator as denominator, coalesce(r.spread_ppm, 0) as spread
      from ledger_transfers t join redemptions r on r.voucher_id = t.from_owner and r.id = t.journal_id
      where t.journal_id = ${id} and t.from_kind = 'voucher' limit 1`
  if (row === undefined) throw new Error('A redemption has no journal.')
  const { voucherId, bookId, toBookId, toAmount, ...then } = row
  if (toBookId === null) return { voucherId, bookId, converted: undefined }
  return { voucherId, bookId, converted: { bookId: toBookId, amount: toAmount, price: priceThen(then) } }
}
type Redeemed = { voucherId: string; bookId: number; toBookId: number | null; toAmount: bigint } & Then

type Then = { readonly numerator: bigint; readonly denominator: bigint; readonly spread: number }

function priceThen({ numerator, denominator, spread }: Then): Pick<Price, 'rate' | 'spreadPpm'> {
  return { rate: { numerator, denominator }, spreadPpm: BigInt(spread) }
}

/** Who paid, what left his wallet, and to whom. */
export async function findPaid(tx: Tx, id: string) {
  // A payment from before rates were recorded has the rate of its amounts.
  const row = await selectOne<{ userId: string; bookId: number; amount: bigint; merchant: string } & Then>(tx)`
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
  if (row === undefined) throw new Error('A payment was never asked for.')
  const { userId, bookId, amount, merchant, ...then } = row
  return { userId, paid: { bookId, amount, price: priceThen(then) }, merchant }
}

/** What the payer got back: the last transfer of the refund's journal, unless it converted to nothing. */
export async function findReturned(tx: Tx, id: string): Promise<{ currency: string; amount: bigint }> {
  const found = await selectOne<{ currency: string; amount: bigint }>(tx)`
    select b.currency, case when t.to_kind = 'exchange' then 0 else t.amount end as amount
      from ledger_transfers t join ledger_books b on b.id = t.book_id where t.journal_id = ${id}
      order by t.position desc limit 1`
  if (found === undefined) throw new Error('A refund has no transfers.')
  return found
}
