import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { parseMoney } from '../base/money.ts'
import { parseAmount } from '../currency/amount.ts'
import { findRate, type QuotedRate } from '../currency/rates.ts'
import { type CatalogueCurrency, pickCurrency } from '../currency/store.ts'
import { pickRule } from '../charge/store.ts'
import { voucherError } from './errors.ts'
import { currencyOf, type Facts } from './facts.ts'
import type { Wish } from './offer.ts'
import type { CheckPin } from './pin.ts'
import type { Voucher } from './store.ts'

export type RedemptionWish = {
  /** Without dashes. */
  readonly code: string
  /** Major units as they were written, or "max". */
  readonly amount: string
  readonly lockPin?: string | undefined
  /** The currency to credit the merchant in, if another. */
  readonly to?: string | undefined
  readonly walletAddress?: string | undefined
}

/** The amount as it was asked for, in minor units: 10 and 10.00 ask for the same. */
export function wishedAmount(facts: Facts, voucher: Voucher | undefined, amount: string): string {
  if (voucher === undefined || amount === 'max') return amount
  return String(parseMoney(amount, currencyOf(facts, voucher)).minor)
}

/** The pin, where there is one to know. Counted and committed before anything else is looked at. */
export async function checkLock(checkPin: CheckPin, voucher: Voucher, lockPin: string | undefined): Promise<void> {
  if (!voucher.hasPin) return
  if (lockPin === undefined) throw voucherError('VOUCHER_PIN_MISSING', { param: 'lockPin' })
  await checkPin({ voucherId: voucher.id, issuerId: voucher.environmentId, pin: lockPin })
}

export type Priced = { readonly wish: Wish; readonly rate: QuotedRate; readonly to: CatalogueCurrency }

/** What is wished, with the terms that hold at this moment and the rate of this moment, or one that was quoted. */
export async function priceWish(
  { pool, clock }: { pool: Pool; clock: Clock },
  facts: Facts,
  voucher: Voucher,
  ask: RedemptionWish,
  quoted?: QuotedRate,
): Promise<Priced> {
  if (ask.walletAddress !== undefined) throw voucherError('VOUCHER_ONCHAIN_UNAVAILABLE', { param: 'walletAddress' })
  const currency = currencyOf(facts, voucher)
  const amount = ask.amount === 'max' ? 'max' : parseAmount(ask.amount, currency).minor
  const to = ask.to === undefined ? currency : pickCurrency(facts.catalogue, ask.to)
  const rate = quoted ?? (await findRate(pool, currency.code, to.code, clock))
  const { discountPpm, takesFromBalance } = facts.merchant
  const terms = { rule: pickRule(facts.rules, voucher.mode, currency.code), discountPpm }
  const { available } = voucher
  return { wish: { amount, currency, to, rate: rate.rate, terms, takesFromBalance, available }, rate, to }
}
