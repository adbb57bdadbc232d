import { divide } from '../base/money.ts'
import type { ChargeRule } from './store.ts'

/** What a charge is computed from: the operator's rule for the book, and what is let off for the merchant. */
export type ChargeTerms = { readonly rule: ChargeRule; readonly discountPpm: bigint }

const million = 1_000_000n

/** (fixed + share of the amount) × (1 − discount), in minor units. Rounds up once, at the end. */
export function chargeOn(amount: bigint, { rule, discountPpm }: ChargeTerms): bigint {
  const whole = rule.fixed * million + amount * rule.sharePpm
  return divide(whole * (million - discountPpm), million * million, 'up')
}

/** The largest amount that leaves room for its own charge, or 0 where not even the charge fits. */
export function largestWithin(available: bigint, terms: ChargeTerms): bigint {
  return largest(available, (amount) => amount + chargeOn(amount, terms) <= available)
}

/** The largest amount whose charge somebody else's balance covers, or 0. */
export function largestBorne(available: bigint, bearer: bigint, terms: ChargeTerms): bigint {
  return largest(available, (amount) => chargeOn(amount, terms) <= bearer)
}

/** A charge grows with its amount, so what fits can be closed in on. */
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

export type ChargeType = 'NONE' | 'FIXED' | 'PERCENTAGE' | 'MIXED'

/** How a charge came about. What came to nothing is none. */
export function chargeTypeOf(charge: bigint, { rule }: ChargeTerms): ChargeType {
  if (charge === 0n) return 'NONE'
  if (rule.sharePpm === 0n) return 'FIXED'
  return rule.fixed === 0n ? 'PERCENTAGE' : 'MIXED'
}
