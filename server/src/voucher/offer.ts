import { convert, type Money, type Rate } from '../base/money.ts'
import { chargeOn, type ChargeTerms, largestBorne, largestWithin } from '../charge/price.ts'
import { refuseDust } from '../currency/amount.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import { voucherError } from './errors.ts'

/** What a redemption would move: `amount` and, if the voucher bears it, `charge` leave it; the merchant gets `toAmount`. */
export type Offer = {
  readonly amount: bigint
  readonly charge: bigint
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

/**
 * The ways in which a redemption may be posted, best first: the merchant's admin balance bears the charge if it was asked
 * to and covers it, else the voucher does. Which of them it is, is decided by the posting.
 */
export function offersFor(wish: Wish): [Offer, ...Offer[]] {
  const { amount, terms, available } = wish
  if (amount === 'max' && available <= 0n) throw voucherError('VOUCHER_EMPTY')
  if (isRest(wish) && (amount === 'max' || amount === available)) return [offer(wish, available, 0n, 'voucher')]
  if (amount !== 'max') refuseDust({ minor: amount, currency: wish.currency }, wish.currency)

  const whole = amount === 'max' ? available : amount
  const byMerchant = chargeOn(whole, terms)
  // "max" empties the voucher: where rounding up would strand a unit of it, the merchant gets that unit.
  const byVoucher = amount === 'max' ? chargeOn(largestWithin(available, terms), terms) : byMerchant
  const last = offer(wish, amount === 'max' ? available - byVoucher : amount, byVoucher, 'voucher')
  if (!wish.takesFromBalance || byMerchant === 0n) return [last]
  return [offer(wish, whole, byMerchant, 'merchant'), last]
}

/** The largest amount that would go through, for a request that asked for more. */
export function maxAmountFor(wish: Wish, adminAvailable: bigint): bigint {
  const { available, terms, takesFromBalance } = wish
  if (isRest(wish)) return available
  const byVoucher = largestWithin(available, terms)
  const byMerchant = takesFromBalance ? largestBorne(available, adminAvailable, terms) : 0n
  return byMerchant > byVoucher ? byMerchant : byVoucher
}

/** So little is left that no allowed amount and its charge fit: it is redeemed whole, free of charge. */
function isRest({ available, terms, currency }: Wish): boolean {
  return available > 0n && largestWithin(available, terms) < currency.amountMin
}

function offer({ currency, to, rate }: Wish, amount: bigint, charge: bigint, chargedTo: Offer['chargedTo']): Offer {
  const from: Money = { minor: amount, currency }
  const toAmount = currency.code === to.code ? amount : convert(from, rate, to, 'down').money.minor
  if (toAmount === 0n) throw voucherError('AMOUNT_TOO_SMALL_TO_CONVERT', { param: 'amount' })
  return { amount, charge, chargedTo, toAmount }
}
