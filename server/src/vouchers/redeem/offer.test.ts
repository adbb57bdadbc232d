import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chargeOn } from '../../catalogue/charge/price.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { maxAmountFor, type Offer, offersFor, takenBy, type PricedRequest } from './offer.ts'

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

const request = (changes: Partial<PricedRequest> = {}): PricedRequest => ({
  amount: 1000n,
  currency: usd,
  to: usd,
  rate: even,
  terms: { rule: { fixed: 10n, sharePpm: 15_000n }, discountPpm: 0n },
  takesFromBalance: false,
  available: 10_000n,
  ...changes,
})

const anyRequest = fc
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
  .map(({ fixed, sharePpm, discountPpm, numerator, denominator, part, isMax, ...rest }): PricedRequest => {
    const rate = rest.currency.code === rest.to.code ? even : { numerator, denominator }
    const amount = (rest.available * part) / 1_000n
    return {
      ...rest,
      rate,
      terms: { rule: { fixed, sharePpm }, discountPpm },
      amount: isMax || amount === 0n ? 'max' : amount,
    }
  })

/** The offers, or none if the request is refused: too small to convert, or below the currency's smallest amount. */
function offers(of: PricedRequest): Offer[] {
  try {
    return offersFor(of)
  } catch {
    return []
  }
}

describe('the offers of a redemption', () => {
  test('the voucher pays the fee on top of the amount', () => {
    expect(offersFor(request())).toEqual([
      { amount: 1000n, charge: 25n, chargeType: 'MIXED', chargedTo: 'voucher', toAmount: 1000n },
    ])
  })

  test('if the merchant chose so, its admin balance comes first, then the voucher', () => {
    expect(offersFor(request({ takesFromBalance: true })).map(({ chargedTo }) => chargedTo)).toEqual([
      'merchant',
      'voucher',
    ])
  })

  test('the received amount rounds down, and the fee is not converted', () => {
    const [offer] = offersFor(request({ amount: 999n, to: jpy, rate: { numerator: 15_555n, denominator: 100n } }))
    expect(offer).toMatchObject({ amount: 999n, charge: 25n, toAmount: 1553n })
  })

  test('an amount worth less than one unit of the other currency is refused', () => {
    const tiny = request({ amount: 1n, to: jpy, rate: even })
    expect(() => offersFor(tiny)).toThrow(expect.objectContaining({ code: 'AMOUNT_TOO_SMALL_TO_CONVERT' }))
    // Worth a unit in full but not after the fee, so only the merchant's admin balance can pay the fee.
    const small = { amount: 'max', to: jpy, rate: { numerator: 2n, denominator: 1n }, available: 60n } as const
    const terms = { rule: { fixed: 50n, sharePpm: 0n }, discountPpm: 0n }
    const [first, ...rest] = offersFor(request({ ...small, terms, takesFromBalance: true }))
    expect([first.chargedTo, first.amount, rest]).toEqual(['merchant', 60n, []])
  })

  test('an amount below the smallest is refused, unless it is the whole balance', () => {
    const dust = { currency: eth, to: eth, amount: 10n ** 11n }
    const free = { rule: { fixed: 0n, sharePpm: 0n }, discountPpm: 0n }
    expect(() => offersFor(request({ ...dust, available: 10n ** 18n }))).toThrow(
      expect.objectContaining({ code: 'AMOUNT_BELOW_LIMIT' }),
    )
    expect(offersFor(request({ ...dust, terms: free, available: 10n ** 11n }))).toMatchObject([{ charge: 0n }])
  })

  test('a balance below the smallest amount is redeemed in full without a fee', () => {
    const rest = { currency: eth, to: eth, available: 10n ** 11n }
    for (const amount of ['max', 10n ** 11n] as const)
      expect(offersFor(request({ ...rest, amount }))).toMatchObject([
        { amount: 10n ** 11n, charge: 0n, chargeType: 'NONE' },
      ])
  })

  test('the last part pays a capped fee that leaves no remainder, and no other part does', () => {
    for (const amount of ['max', 1n] as const)
      expect(offersFor(request({ amount, available: 10n }))).toMatchObject([{ amount: 1n, charge: 9n }])
    expect(offersFor(request({ amount: 'max', available: 1n }))).toMatchObject([{ amount: 1n, charge: 0n }])
    // Any other part has its full fee and does not fit.
    expect(offersFor(request({ amount: 5n, available: 10n }))[0].charge).toBe(11n)
  })

  test("the merchant's admin balance does not pay a fee above the amount", () => {
    expect(offersFor(request({ amount: 10n, takesFromBalance: true })).map(({ chargedTo }) => chargedTo)).toEqual([
      'voucher',
    ])
    expect(offersFor(request({ amount: 11n, takesFromBalance: true }))).toHaveLength(2)
  })

  test('"max" takes the whole balance and charges no more than the rule', () => {
    fc.assert(
      fc.property(anyRequest, (any) => {
        for (const offer of offers({ ...any, amount: 'max' })) {
          expect(takenBy(offer)).toBe(any.available)
          const { rule, discountPpm } = any.terms
          const exact = (rule.fixed * 1_000_000n + offer.amount * rule.sharePpm) * (1_000_000n - discountPpm)
          expect(offer.charge * 10n ** 12n < exact + 10n ** 12n).toBe(true)
        }
      }),
    )
  })

  test('a conversion loses less than one unit of the target currency', () => {
    fc.assert(
      fc.property(anyRequest, (any) => {
        for (const { amount, toAmount } of offers(any)) {
          const left = amount * any.rate.numerator * 10n ** BigInt(any.to.decimals)
          const right = toAmount * any.rate.denominator * 10n ** BigInt(any.currency.decimals)
          const unit = any.rate.denominator * 10n ** BigInt(any.currency.decimals)
          expect(left >= right && left - right < unit).toBe(true)
        }
      }),
    )
  })

  test('the reported largest amount can be redeemed, and one unit more cannot', () => {
    fc.assert(
      fc.property(anyRequest, fc.bigInt({ min: 0n, max: 1_100n }), (any, part) => {
        const admin = (chargeOn(any.available, any.terms) * part) / 1_000n
        const most = maxAmountFor(any, admin)
        const fits = (offer: Offer): boolean =>
          takenBy(offer) <= any.available && (offer.chargedTo === 'voucher' || offer.charge <= admin)
        const unconverted = { ...any, to: any.currency, rate: even }
        expect(offers({ ...unconverted, amount: most }).some(fits)).toBe(true)
        expect(offers({ ...unconverted, amount: most + 1n }).some(fits)).toBe(false)
      }),
      { numRuns: 1_000 },
    )
  })
})
