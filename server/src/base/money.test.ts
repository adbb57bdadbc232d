import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { convert, divide, formatMoney, parseMoney, parseRate, type Currency } from './money.ts'

const usd: Currency = { code: 'USD', decimals: 2 }
const jpy: Currency = { code: 'JPY', decimals: 0 }
const kwd: Currency = { code: 'KWD', decimals: 3 }
const eth: Currency = { code: 'ETH', decimals: 18 }

const anyCurrency = fc.constantFrom(usd, jpy, kwd, eth)
const anyMinor = fc.bigInt({ min: 0n, max: 10n ** 78n - 1n })

describe('parseMoney', () => {
  test('reads exactly what formatMoney writes, in every currency', () => {
    fc.assert(
      fc.property(anyMinor, anyCurrency, (minor, currency) => {
        expect(parseMoney(formatMoney({ minor, currency }), currency)).toEqual({ minor, currency })
      }),
    )
  })

  test.each([
    '-1',
    '-0',
    '+1',
    '',
    ' 1',
    '1 ',
    '.5',
    '5.',
    '1e2',
    '0x10',
    'NaN',
    'Infinity',
    '1,5',
    '007',
    '1_000',
    '٣',
  ])('refuses %j rather than guess', (text) =>
    expect(() => parseMoney(text, usd)).toThrow(expect.objectContaining({ code: 'AMOUNT_INVALID' })),
  )

  test('refuses more decimals than the currency has, even zeros', () => {
    expect(() => parseMoney('1.005', usd)).toThrow(expect.objectContaining({ code: 'AMOUNT_TOO_PRECISE' }))
    expect(() => parseMoney('1.500', usd)).toThrow(expect.objectContaining({ code: 'AMOUNT_TOO_PRECISE' }))
    expect(() => parseMoney('1.0', jpy)).toThrow(expect.objectContaining({ code: 'AMOUNT_TOO_PRECISE' }))
  })

  test('refuses amounts that no account can hold, without parsing a million digits', () => {
    for (const text of [`1${'0'.repeat(78)}`, '9'.repeat(1_000_000), `1${'0'.repeat(60)}`])
      expect(() => parseMoney(text, eth)).toThrow(expect.objectContaining({ code: 'AMOUNT_TOO_LARGE' }))
  })

  test('keeps tenths exact and every digit of a wei', () => {
    expect(parseMoney('0.1', usd).minor).toBe(10n)
    expect(parseMoney('12345678901234567890.123456789012345678', eth).minor).toBe(
      12345678901234567890123456789012345678n,
    )
    expect(formatMoney({ minor: -5n, currency: usd })).toBe('-0.05')
    expect(formatMoney({ minor: 1500n, currency: jpy })).toBe('1500')
  })
})

describe('divide', () => {
  test('every rounding stays within one unit, on the expected side', () => {
    fc.assert(
      fc.property(anyMinor, fc.bigInt({ min: 1n, max: 10n ** 40n }), (dividend, divisor) => {
        const [down, up, even] = (['down', 'up', 'half_even'] as const).map((r) => divide(dividend, divisor, r))
        expect(down! * divisor <= dividend && dividend < (down! + 1n) * divisor).toBe(true)
        expect(up! * divisor >= dividend && (up! - 1n) * divisor < dividend).toBe(true)
        expect(even === down || even === up).toBe(true)
      }),
    )
  })

  test('half_even rounds a half to the even neighbour', () => {
    expect([1n, 3n, 5n, 7n].map((half) => divide(half, 2n, 'half_even'))).toEqual([0n, 2n, 2n, 4n])
  })

  test('half_up rounds a half up, and anything else to the nearest', () => {
    expect([1n, 3n, 5n, 7n].map((half) => divide(half, 2n, 'half_up'))).toEqual([1n, 2n, 3n, 4n])
    expect([4n, 5n, 6n, 10n].map((tenths) => divide(tenths, 10n, 'half_up'))).toEqual([0n, 1n, 1n, 1n])
  })

  test('refuses a negative dividend and a divisor of zero', () => {
    expect(() => divide(-1n, 2n, 'down')).toThrow(RangeError)
    expect(() => divide(1n, 0n, 'down')).toThrow(RangeError)
  })
})

describe('convert', () => {
  test('minor units and rest add up to the exact result', () => {
    const anyRate = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.nat({ max: 20 }))
    const rounding = fc.constantFrom('up', 'down', 'half_even')
    fc.assert(
      fc.property(anyMinor, anyRate, anyCurrency, anyCurrency, rounding, (minor, [numerator, places], from, to, r) => {
        const rate = { numerator, denominator: 10n ** BigInt(places) }
        const { money, rest } = convert({ minor, currency: from }, rate, to, r)
        const exact = minor * rate.numerator * 10n ** BigInt(to.decimals)
        expect(money.minor * rest.denominator + rest.numerator).toBe(exact)
        expect(rest.denominator).toBe(rate.denominator * 10n ** BigInt(from.decimals))
        if (r === 'down') expect(rest.numerator >= 0n && rest.numerator < rest.denominator).toBe(true)
        if (r === 'up') expect(rest.numerator <= 0n && -rest.numerator < rest.denominator).toBe(true)
      }),
    )
  })

  test('10.00 USD at 1530.25 is 15302 JPY rounded down and 15303 rounded up', () => {
    const amount = parseMoney('10.00', usd)
    expect(convert(amount, parseRate('1530.25'), jpy, 'down').money.minor).toBe(15302n)
    expect(convert(amount, parseRate('1530.25'), jpy, 'up').money.minor).toBe(15303n)
  })

  test.each(['0', '0.000', '-1', 'x', '', `1${'0'.repeat(200)}`])('refuses %j as a rate', (text) =>
    expect(() => parseRate(text)).toThrow(expect.objectContaining({ code: 'RATE_INVALID' })),
  )
})
