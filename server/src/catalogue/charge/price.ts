import { divide } from '../../base/money.ts'
import type { ChargeRule } from './store.ts'
import type { ChargeType } from './wire.ts'

/** The inputs of a charge: the operator's rule for the book, the merchant's discount, and the gas that the payer pays. */
export type ChargeTerms = {
  readonly rule: ChargeRule
  readonly discountPpm: bigint
  readonly gas?: bigint
  /** The charge is a multiple of this. On a network, a token may have fewer decimals than the ledger. */
  readonly unit?: bigint
}

const million = 1_000_000n

/** (fixed + share of the amount) × (1 − discount) + gas, in minor units. Rounds up. */
export function chargeOn(amount: bigint, { rule, discountPpm, gas = 0n, unit = 1n }: ChargeTerms): bigint {
  const whole = rule.fixed * million + amount * rule.sharePpm
  const fee = divide(whole * (million - discountPpm), million * million, 'up')
  return divide(fee + gas, unit, 'up') * unit
}

/** The largest amount that fits into a balance together with its fee, or 0 if none does. */
export function largestWithin(available: bigint, terms: ChargeTerms): bigint {
  return largest(available, (amount) => amount + chargeOn(amount, terms) <= available)
}

/** The largest amount whose fee another balance covers, or 0. */
export function largestCovered(available: bigint, feeBalance: bigint, terms: ChargeTerms): bigint {
  return largest(available, (amount) => chargeOn(amount, terms) <= feeBalance)
}

/** Binary search, since fees grow with the amount. */
function largest(max: bigint, fits: (amount: bigint) => boolean): bigint {
  let low = 0n
  let high = max
  while (low < high) {
    const middle = (low + high + 1n) / 2n
    if (fits(middle)) low = middle
    else high = middle - 1n
  }
  return low
}

/** The kind of a fee. A fee of zero is NONE. */
export function chargeTypeOf(charge: bigint, { rule }: ChargeTerms): ChargeType {
  if (charge === 0n) return 'NONE'
  if (rule.sharePpm === 0n) return 'FIXED'
  return rule.fixed === 0n ? 'PERCENTAGE' : 'MIXED'
}
