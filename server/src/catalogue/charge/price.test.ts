import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chargeOn, type ChargeTerms, chargeTypeOf, largestWithin } from './price.ts'

const anyTerms: fc.Arbitrary<ChargeTerms> = fc.record({
  rule: fc.record({
    fixed: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10n ** 6n }), fc.bigInt({ min: 0n, max: 10n ** 20n })),
    sharePpm: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 1_000_000n })),
  }),
  discountPpm: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 1_000_000n })),
})
const anyAmount = fc.oneof(fc.bigInt({ min: 1n, max: 10_000n }), fc.bigInt({ min: 1n, max: 10n ** 26n }))

describe('a fee', () => {
  test.each([
    // amount, fixed, share ppm, discount ppm, charge
    [1000n, 10n, 15_000n, 0n, 25n],
    [1001n, 10n, 15_000n, 0n, 26n],
    [1000n, 10n, 15_000n, 500_000n, 13n],
    [1000n, 10n, 15_000n, 1_000_000n, 0n],
    [1n, 0n, 1n, 0n, 1n],
    [1n, 0n, 0n, 0n, 0n],
    [10n ** 24n, 0n, 15_000n, 0n, 15n * 10n ** 21n],
  ])('on %s with %s and %s ppm less %s ppm is %s', (amount, fixed, sharePpm, discountPpm, charge) => {
    expect(chargeOn(amount, { rule: { fixed, sharePpm }, discountPpm })).toBe(charge)
  })

  test('is at least the exact fee and less than one unit above it', () => {
    fc.assert(
      fc.property(anyAmount, anyTerms, (amount, terms) => {
        const exact = (terms.rule.fixed * 1_000_000n + amount * terms.rule.sharePpm) * (1_000_000n - terms.discountPpm)
        const charge = chargeOn(amount, terms) * 1_000_000_000_000n
        expect(charge >= exact && charge - exact < 1_000_000_000_000n).toBe(true)
      }),
    )
  })

  test('grows with the amount and shrinks with the discount', () => {
    fc.assert(
      fc.property(anyAmount, anyAmount, anyTerms, (a, b, terms) => {
        expect(chargeOn(a + b, terms) >= chargeOn(a, terms)).toBe(true)
        expect(chargeOn(a, terms) <= chargeOn(a, { ...terms, discountPpm: 0n })).toBe(true)
      }),
    )
  })

  test('has a type', () => {
    const terms = (fixed: bigint, sharePpm: bigint): ChargeTerms => ({ rule: { fixed, sharePpm }, discountPpm: 0n })
    expect([
      chargeTypeOf(0n, terms(1n, 1n)),
      chargeTypeOf(1n, terms(1n, 0n)),
      chargeTypeOf(1n, terms(0n, 1n)),
      chargeTypeOf(1n, terms(1n, 1n)),
    ]).toEqual(['NONE', 'FIXED', 'PERCENTAGE', 'MIXED'])
  })
})

test('the largest amount within a balance fits with its fee, and one unit more does not', () => {
  fc.assert(
    fc.property(anyAmount, anyTerms, (available, terms) => {
      const largest = largestWithin(available, terms)
      if (largest > 0n) expect(largest + chargeOn(largest, terms) <= available).toBe(true)
      const more = largest + 1n
      if (more <= available) expect(more + chargeOn(more, terms) > available).toBe(true)
    }),
  )
})
