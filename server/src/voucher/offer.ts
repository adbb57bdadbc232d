import { convert, type Rate } from '../base/money.ts'
import {
  chargeOn,
  type ChargeTerms,
  type ChargeType,
  chargeTypeOf,
  largestBorne,
  largestWithin,
} from '../charge/price.ts'
import { refuseDust } from '../currency/amount.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import { voucherError } from './errors.ts'

/** What a redemption would move: `amount` and, if the voucher bears it, `charge` leave it; the merchant gets `toAmount`. */
export type Offer = {
  readonly amount: bigint
  readonly charge: bigint
  readonly chargeType: ChargeType
  readonly chargedTo: 'voucher' | 'merchant'
  readonly toAmount: bigint
}

export type Wish = {
  readonly amount: bigint | 'max'
  readonly currency: CatalogueCurrency
  readonly to: CatalogueCurrency
  readonly rate: Rate
  readonly terms: ChargeTerms
  /** The merchant wants charges to come out of its admin balance. */
  readonly takesFromBalance: boolean
  /** What the voucher has to give. */
  readonly available: bigint
}

/** What the voucher loses. */
export function takenBy({ amount, charge, chargedTo }: Offer): bigint {
  return chargedTo === 'voucher' ? amount + charge : amount
}

/**
 * The ways in which a redemption may be posted, best first: the merchant's admin balance bears the charge if it was asked
 * to and covers it, else the voucher does. Which of them it is, is decided by the posting.
 */
export function offersFor(wish: Wish): [Offer, ...Offer[]] {
  const { amount, terms, available, currency } = wish
  if (amount === 'max' && available <= 0n) throw voucherError('VOUCHER_EMPTY', { param: 'amount', maxAmount: 0 })
  const isRest = available > 0n && available < currency.amountMin
  if (isRest && (amount === 'max' || amount === available)) return thoseThatPay([offer(wish, available, 0n, 'voucher')])
  if (amount !== 'max') refuseDust({ minor: amount, currency }, currency)

  const whole = amount === 'max' ? available : amount
  const full = chargeOn(whole, terms)
  const last = offer(wish, ...borneByVoucher(wish, whole, full), 'voucher')
  // Not a charge above its amount: with a cent each somebody could use up the merchant's admin balance by tens of cents.
  if (!wish.takesFromBalance || full === 0n || full > whole) return thoseThatPay([last])
  return thoseThatPay([offer(wish, whole, full, 'merchant'), last])
}

/** Of a small amount in another currency the payee may get nothing, and of a smaller one that bears its charge sooner. */
function thoseThatPay(offers: readonly Offer[]): [Offer, ...Offer[]] {
  const [first, ...rest] = offers.filter(({ toAmount }) => toAmount > 0n)
  if (first === undefined) throw voucherError('AMOUNT_TOO_SMALL_TO_CONVERT', { param: 'amount' })
  return [first, ...rest]
}

/** Amount and charge. Charges must not strand a remainder: the last part of a voucher is charged no more than it can bear. */
function borneByVoucher({ amount, available, terms, currency }: Wish, whole: bigint, full: bigint): [bigint, bigint] {
  const largest = largestWithin(available, terms)
  const isLast = largest < currency.amountMin && (amount === 'max' || amount === currency.amountMin)
  if (isLast && available >= currency.amountMin) return [currency.amountMin, available - currency.amountMin]
  if (amount !== 'max') return [whole, full]
  // Where rounding up would strand a unit, the merchant gets that unit.
  const charge = chargeOn(largest, terms)
  return [available - charge, charge]
}

/** The largest amount that would go through, for a request that asked for more. */
export function maxAmountFor({ available, terms, takesFromBalance, currency }: Wish, adminAvailable: bigint): bigint {
  if (available < currency.amountMin) return available
  const byVoucher = largestWithin(available, terms)
  const borne = takesFromBalance ? largestBorne(available, adminAvailable, terms) : 0n
  const most = borne > byVoucher && chargeOn(borne, terms) <= borne ? borne : byVoucher
  return most > currency.amountMin ? most : currency.amountMin
}

function offer(wish: Wish, amount: bigint, charge: bigint, chargedTo: Offer['chargedTo']): Offer {
  const { currency, to, rate, terms } = wish
  const toAmount =
    currency.code === to.code ? amount : convert({ minor: amount, currency }, rate, to, 'down').money.minor
  return { amount, charge, chargeType: chargeTypeOf(charge, terms), chargedTo, toAmount }
}
