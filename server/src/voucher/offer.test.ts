import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chargeOn } from '../charge/price.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import { maxAmountFor, type Offer, offersFor, takenBy, type Wish } from './offer.ts'

const currency = (code: string, decimals: number, amountMin: bigint): CatalogueCurrency => ({
  id: code,
  code,
  name: code,
  symbol: code,
  type: 'Fiat',
  decimals,
  amountMin,
  amountMax: 10n ** 40n,
  isActive: true,
  createdAt: new Date(0),
})
const usd = currency('USD', 2, 1n)
const jpy = currency('JPY', 0, 1n)
const eth = currency('ETH', 18, 10n ** 12n)
const even = { numerator: 1n, denominator: 1n }

const wish = (changes: Partial<Wish> = {}): Wish => ({
  amount: 1000n,
  currency: usd,
  to: usd,
  rate: even,
  terms: { rule: { fixed: 10n, sharePpm: 15_000n }, discountPpm: 0n },
  takesFromBalance: false,
  available: 10_000n,
  ...changes,
})

const anyWish = fc
  .record({
    currency: fc.constantFrom(usd, jpy, eth),
    to: fc.constantFrom(usd, jpy, eth),
    fixed: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 5_000n })),
    sharePpm: fc.bigInt({ min: 0n, max: 400_000n }),
    discountPpm: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 1_000_000n })),
    numerator: fc.bigInt({ min: 1n, max: 10n ** 9n }),
    denominator: fc.bigInt({ min: 1n, max: 10n ** 9n }),
    takesFromBalance: fc.boolean(),
    available: fc.oneof(fc.bigInt({ min: 1n, max: 2_000n }), fc.bigInt({ min: 1n, max: 10n ** 22n })),
    part: fc.bigInt({ min: 1n, max: 1_000n }),
    isMax: fc.boolean(),
  })
  .map(({ fixed, sharePpm, discountPpm, numerator, denominator, part, isMax, ...rest }): Wish => {
    const rate = rest.currency.code === rest.to.code ? even : { numerator, denominator }
    const amount = (rest.available * part) / 1_000n
    return {
      ...rest,
      rate,
      terms: { rule: { fixed, sharePpm }, discountPpm },
      amount: isMax || amount === 0n ? 'max' : amount,
    }
  })

/** The offers, or nothing where the wish is refused: too small to convert, or below the currency's smallest amount. */
function offers(of: Wish): Offer[] {
  try {
    return offersFor(of)
  } catch {
    return []
  }
}

describe('what a redemption would move', () => {
  test('the voucher bears the charge on top of the amount', () => {
    expect(offersFor(wish())).toEqual([
      { amount: 1000n, charge: 25n, chargeType: 'MIXED', chargedTo: 'voucher', toAmount: 1000n },
    ])
  })

  test("the merchant's admin balance comes first where it was asked to, then the voucher", () => {
    expect(offersFor(wish({ takesFromBalance: true })).map(({ chargedTo }) => chargedTo)).toEqual([
      'merchant',
      'voucher',
    ])
  })

  test('what is received rounds down, and a charge is not converted', () => {
    const [offer] = offersFor(wish({ amount: 999n, to: jpy, rate: { numerator: 15_555n, denominator: 100n } }))
    expect(offer).toMatchObject({ amount: 999n, charge: 25n, toAmount: 1553n })
  })

  test('422: an amount that is worth less than a unit of the other currency', () => {
    const tiny = wish({ amount: 1n, to: jpy, rate: even })
    expect(() => offersFor(tiny)).toThrow(expect.objectContaining({ code: 'AMOUNT_TOO_SMALL_TO_CONVERT' }))
    // Whole it is worth a unit; less its charge it is not, so only the merchant's admin balance can bear that.
    const small = { amount: 'max', to: jpy, rate: { numerator: 2n, denominator: 1n }, available: 60n } as const
    const terms = { rule: { fixed: 50n, sharePpm: 0n }, discountPpm: 0n }
    const [first, ...rest] = offersFor(wish({ ...small, terms, takesFromBalance: true }))
    expect([first.chargedTo, first.amount, rest]).toEqual(['merchant', 60n, []])
  })

  test('422: an amount below the smallest, unless it is all that is left', () => {
    const dust = { currency: eth, to: eth, amount: 10n ** 11n }
    const free = { rule: { fixed: 0n, sharePpm: 0n }, discountPpm: 0n }
    expect(() => offersFor(wish({ ...dust, available: 10n ** 18n }))).toThrow(/smallest/)
    expect(offersFor(wish({ ...dust, terms: free, available: 10n ** 11n }))).toMatchObject([{ charge: 0n }])
  })

  test('what is less than the smallest amount is redeemed whole, free of charge', () => {
    const rest = { currency: eth, to: eth, available: 10n ** 11n }
    for (const amount of ['max', 10n ** 11n] as const)
      expect(offersFor(wish({ ...rest, amount }))).toMatchObject([
        { amount: 10n ** 11n, charge: 0n, chargeType: 'NONE' },
      ])
  })

  test('the last part is charged what it can bear, so that nothing is stranded and no charge is avoided', () => {
    for (const amount of ['max', 1n] as const)
      expect(offersFor(wish({ amount, available: 10n }))).toMatchObject([{ amount: 1n, charge: 9n }])
    expect(offersFor(wish({ amount: 'max', available: 1n }))).toMatchObject([{ amount: 1n, charge: 0n }])
    // Any other part of it has its whole charge, and does not fit.
    expect(offersFor(wish({ amount: 5n, available: 10n }))[0].charge).toBe(11n)
  })

  test("the merchant's admin balance does not bear a charge above its amount", () => {
    expect(offersFor(wish({ amount: 10n, takesFromBalance: true })).map(({ chargedTo }) => chargedTo)).toEqual([
      'voucher',
    ])
    expect(offersFor(wish({ amount: 11n, takesFromBalance: true }))).toHaveLength(2)
  })

  test('"max" takes all of it, to the last unit, and charges no more than the rule', () => {
    fc.assert(
      fc.property(anyWish, (any) => {
        for (const offer of offers({ ...any, amount: 'max' })) {
          expect(takenBy(offer)).toBe(any.available)
          const { rule, discountPpm } = any.terms
          const exact = (rule.fixed * 1_000_000n + offer.amount * rule.sharePpm) * (1_000_000n - discountPpm)
          expect(offer.charge * 10n ** 12n < exact + 10n ** 12n).toBe(true)
        }
      }),
    )
  })

  test('nothing is lost: what leaves the voucher is the amount and the charge, and the rest of a conversion is under one unit', () => {
    fc.assert(
      fc.property(anyWish, (any) => {
        for (const { amount, toAmount } of offers(any)) {
          const left = amount * any.rate.numerator * 10n ** BigInt(any.to.decimals)
          const right = toAmount * any.rate.denominator * 10n ** BigInt(any.currency.decimals)
          const unit = any.rate.denominator * 10n ** BigInt(any.currency.decimals)
          expect(left >= right && left - right < unit).toBe(true)
        }
      }),
    )
  })

  test('the largest amount that is told goes through as asked, and one unit more does not', () => {
    fc.assert(
      fc.property(anyWish, fc.bigInt({ min: 0n, max: 1_100n }), (any, part) => {
        const admin = (chargeOn(any.available, any.terms) * part) / 1_000n
        const most = maxAmountFor(any, admin)
        const fits = (offer: Offer): boolean =>
          takenBy(offer) <= any.available && (offer.chargedTo === 'voucher' || offer.charge <= admin)
        const asked = { ...any, to: any.currency, rate: even }
        expect(offers({ ...asked, amount: most }).some(fits)).toBe(true)
        expect(offers({ ...asked, amount: most + 1n }).some(fits)).toBe(false)
      }),
      { numRuns: 1_000 },
    )
  })
})
