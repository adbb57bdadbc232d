import { divide } from '../../base/money.ts'

type Fee = { readonly amount: bigint; readonly charge: bigint; readonly captured: bigint }

/**
 * The part of a hold's fee that a capture of `part` pays. The fee of everything captured so far rounds up, and each
 * capture pays the difference: the parts never exceed the fee, and add up to it when the hold is captured wholly.
 */
export function feeOfCapture({ amount, charge, captured }: Fee, part: bigint): bigint {
  const feeUpTo = (sum: bigint): bigint => divide(charge * sum, amount, 'up')
  return feeUpTo(captured + part) - feeUpTo(captured)
}
