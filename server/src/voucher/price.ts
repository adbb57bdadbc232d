import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { parseMoney } from '../base/money.ts'
import { pickRule } from '../charge/store.ts'
import { parseAmount } from '../currency/amount.ts'
import { pickCurrency } from '../currency/store.ts'
import { findPrice, type Price } from '../exchange/price.ts'
import type { ReadCode } from './code.ts'
import { voucherError } from './errors.ts'
import { currencyOf, type Facts } from './facts.ts'
import type { Wish } from './offer.ts'
import type { Voucher } from './store.ts'

export type RedemptionWish = {
  readonly code: ReadCode
  /** Major units as they were written, or "max". */
  readonly amount: string
  readonly lockPin?: string | undefined
  /** The currency to credit the merchant in, if another. */
  readonly to?: string | undefined
  readonly walletAddress?: string | undefined
  /** The person into whose wallet it goes, instead of the merchant's balance. Free: it stays his own. */
  readonly into?: { readonly userId: string } | undefined
}

/**
 * What was asked for, in minor units where it can be: 10 and 10.00 ask for the same. It never fails, since it is asked of
 * vouchers that the caller may not know of.
 */
export function wishedAmount(facts: Facts, amount: string): string {
  if (facts.voucher === undefined) return amount
  try {
    return String(parseMoney(amount, currencyOf(facts, facts.voucher)).minor)
  } catch {
    return amount
  }
}

/** What was meant for a wallet must not end on a balance, whatever else the request says. */
export function refuseWallet({ walletAddress }: RedemptionWish): void {
  if (walletAddress !== undefined) throw voucherError('VOUCHER_ONCHAIN_UNAVAILABLE', { param: 'walletAddress' })
}

const noRule = { fixed: 0n, sharePpm: 0n }

export type Priced = { readonly wish: Wish; readonly price: Price }

/** What is wished, with the rate and the terms of this moment. */
export async function priceWish(
  { pool, clock }: { pool: Pool; clock: Clock },
  facts: Facts,
  voucher: Voucher,
  ask: RedemptionWish,
): Promise<Priced> {
  const currency = currencyOf(facts, voucher)
  const amount = ask.amount === 'max' ? 'max' : parseAmount(ask.amount, currency).minor
  const to =
    ask.to === undefined ? currency : pickCurrency(facts.catalogue, ask.to, 'offered', 'toCurrencyAbbreviation')
  const price = await findPrice(pool, currency.code, to.code, clock)
  const { discountPpm, takesFromBalance } = facts.merchant
  const rule = ask.into === undefined ? pickRule(facts.rules, voucher.mode, currency.code) : noRule
  const terms = { rule, discountPpm }
  const { available } = voucher
  return { wish: { amount, currency, to, rate: price.rate, terms, takesFromBalance, available }, price }
}
