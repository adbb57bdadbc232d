import fc from 'fast-check'
import { expect, test } from 'vitest'
import { feeOfCapture } from './split-fee.ts'

/** The fees of captures, one after the other. */
function feesOf(amount: bigint, charge: bigint, parts: readonly bigint[]): bigint[] {
  let captured = 0n
  return parts.map((part) => {
    const fee = feeOfCapture({ amount, charge, captured }, part)
    captured += part
    return fee
  })
}
const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n)

test('a fee of 1.00 for 3.00 in three captures is paid as 0.34, 0.33 and 0.33', () => {
  expect(feesOf(300n, 100n, [100n, 100n, 100n])).toEqual([34n, 33n, 33n])
})

test('a fee of one unit is paid by the first capture, and a fee of zero by none', () => {
  expect(feesOf(300n, 1n, [1n, 1n, 298n])).toEqual([1n, 0n, 0n])
  expect(feesOf(300n, 0n, [1n, 299n])).toEqual([0n, 0n])
})

test('a fee above the amount is split like any other', () => {
  expect(feesOf(3n, 10n, [1n, 1n, 1n])).toEqual([4n, 3n, 3n])
})

test('whatever the parts, no fee is negative, their sum never exceeds the fee, and the last part completes it', () => {
  const part = fc.bigInt({ min: 1n, max: 10n ** 20n })
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 20 }),
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      (parts, charge) => {
        const amount = sum(parts)
        const fees = feesOf(amount, charge, parts)
        let paid = 0n
        for (const fee of fees) {
          expect(fee).toBeGreaterThanOrEqual(0n)
          paid += fee
          expect(paid).toBeLessThanOrEqual(charge)
        }
        expect(paid).toBe(charge)
      },
    ),
  )
})
