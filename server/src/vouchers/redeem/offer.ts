import { convert, type Rate } from '../../base/money.ts'
import {
  chargeOn,
  type ChargeTerms,
  chargeTypeOf,
  largestCovered,
  largestWithin,
} from '../../catalogue/charge/price.ts'
import { type ChargeType } from '../../catalogue/charge/wire.ts'
import { refuseDust } from '../../catalogue/currency/amount.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { voucherError } from '../code/errors.ts'

/**
 * One way to post a redemption: `amount` and, if the voucher pays it, `charge` leave the voucher; the merchant gets
 * `toAmount`.
 */
export type Offer = {
  readonly amount: bigint
  readonly charge: bigint
  readonly chargeType: ChargeType
  readonly chargedTo: 'voucher' | 'merchant'
  readonly toAmount: bigint
}

export type PricedRequest = {
  readonly amount: bigint | 'max'
  readonly currency: CatalogueCurrency
  readonly to: CatalogueCurrency
  readonly rate: Rate
  readonly terms: ChargeTerms
  /** True if the merchant's admin balance pays fees. */
  readonly takesFromBalance: boolean
  /** The available balance of the voucher. */
  readonly available: bigint
  /** What the payee gets is a multiple of this, rounded down. */
  readonly toUnit?: bigint
}

function hasGas({ terms }: PricedRequest): boolean {
  return (terms.gas ?? 0n) > 0n
}

/** The amount that leaves the voucher. */
export function takenBy({ amount, charge, chargedTo }: Offer): bigint {
  return chargedTo === 'voucher' ? amount + charge : amount
}

/**
 * The ways to post a redemption, best first: the merchant's admin balance pays the fee if the merchant chose that and
 * the balance covers it, else the voucher pays. The ledger decides when it posts.
 */
export function offersFor(request: PricedRequest): [Offer, ...Offer[]] {
  const { amount, terms, available, currency } = request
  if (amount === 'max' && available <= 0n) throw voucherError('VOUCHER_EMPTY', { param: 'amount', maxAmount: 0 })
  // Gas costs the same for any amount, so the smallest rests cannot go out free of charge.
  const isRest = available > 0n && available < currency.amountMin && !hasGas(request)
  if (isRest && (amount === 'max' || amount === available))
    return withoutEmptyOffers([offer(request, available, 0n, 'voucher')])
  if (amount !== 'max') refuseDust({ minor: amount, currency }, currency)

  const whole = amount === 'max' ? available : amount
  const full = chargeOn(whole, terms)
  const last = offer(request, ...chargeToVoucher(request, whole, full), 'voucher')
  // The admin balance never pays a fee above the amount, or redemptions of one cent could drain it by tens of cents
  // each.
  if (!request.takesFromBalance || full === 0n || full > whole) return withoutEmptyOffers([last])
  return withoutEmptyOffers([offer(request, whole, full, 'merchant'), last])
}

/** Drops offers that convert to nothing for the payee; refuses the request if none is left. */
function withoutEmptyOffers(offers: readonly Offer[]): [Offer, ...Offer[]] {
  const [first, ...rest] = offers.filter(({ toAmount }) => toAmount > 0n)
  if (first === undefined) throw voucherError('AMOUNT_TOO_SMALL_TO_CONVERT', { param: 'amount' })
  return [first, ...rest]
}

/** Amount and fee if the voucher pays. The fee is capped so that it never leaves a remainder too small to redeem. */
function chargeToVoucher(request: PricedRequest, whole: bigint, full: bigint): [bigint, bigint] {
  const { amount, available, terms, currency } = request
  // Only the whole balance and the smallest amount can be the last of a voucher.
  if (amount !== 'max' && amount !== currency.amountMin) return [whole, full]
  const largest = largestWithin(available, terms)
  if (hasGas(request) && amount === 'max') {
    const most = largest - (largest % (terms.unit ?? 1n))
    if (most === 0n) throw voucherError('VOUCHER_BALANCE_TOO_LOW', { param: 'amount', maxAmount: 0 })
    return [most, chargeOn(most, terms)]
  }
  const isLast = largest < currency.amountMin && (amount === 'max' || amount === currency.amountMin) && !hasGas(request)
  if (isLast && available >= currency.amountMin) return [currency.amountMin, available - currency.amountMin]
  if (amount !== 'max') return [whole, full]
  // If rounding up would leave one unit on the voucher, the merchant gets that unit.
  const charge = chargeOn(largest, terms)
  return [available - charge, charge]
}

/** The largest amount that can be redeemed, for the error of a request above it. */
export function maxAmountFor(request: PricedRequest, adminAvailable: bigint): bigint {
  const { available, terms, takesFromBalance, currency } = request
  if (available < currency.amountMin && !hasGas(request)) return available
  const byVoucher = largestWithin(available, terms)
  const covered = takesFromBalance ? largestCovered(available, adminAvailable, terms) : 0n
  const most = covered > byVoucher && chargeOn(covered, terms) <= covered ? covered : byVoucher
  if (!hasGas(request)) return most > currency.amountMin ? most : currency.amountMin
  // The last of it cannot go out without its gas.
  const inUnits = most - (most % (terms.unit ?? 1n))
  return inUnits < currency.amountMin ? 0n : inUnits
}

function offer(request: PricedRequest, amount: bigint, charge: bigint, chargedTo: Offer['chargedTo']): Offer {
  return {
    amount,
    charge,
    chargeType: chargeTypeOf(charge, request.terms),
    chargedTo,
    toAmount: receivedFor(request, amount),
  }
}

/** What the payee gets for an amount, rounded down. */
export function receivedFor(
  { currency, to, rate, toUnit = 1n }: Pick<PricedRequest, 'currency' | 'to' | 'rate' | 'toUnit'>,
  amount: bigint,
): bigint {
  const converted =
    currency.code === to.code ? amount : convert({ minor: amount, currency }, rate, to, 'down').money.minor
  return converted - (converted % toUnit)
}
