import { describe, expect, test } from 'vitest'
import { isIsoCurrency } from '../../server/src/base/currency-symbol.ts'
import { createNumberFormat, type Sign } from './number-format.ts'

const nbsp = '\u00a0'
const narrowNbsp = '\u202f'
const huge = '123456789012345678901234567890123456789012345678901234567890.123456789012345678'

function write(locale: string, decimal: string, code: string, sign: Sign = ''): string {
  const parts = createNumberFormat(locale).splitMoney(decimal, code, sign)
  return parts.map(({ text }) => text).join('')
}

describe('fiat amounts', () => {
  test.each([
    ['en', 'USD', '$12.50'],
    ['en', 'EUR', '€12.50'],
    ['fr', 'USD', `12,50${nbsp}$`],
    ['fr', 'EUR', `12,50${nbsp}€`],
    ['de', 'USD', `12,50${nbsp}$`],
    ['de', 'EUR', `12,50${nbsp}€`],
  ])('in %s, 12.50 %s is written %s', (locale, code, text) => {
    expect(write(locale, '12.50', code)).toBe(text)
  })

  test('groups thousands as the locale does', () => {
    expect(write('en', '1234567.50', 'USD')).toBe('$1,234,567.50')
    expect(write('fr', '1234567.50', 'EUR')).toBe(`1${narrowNbsp}234${narrowNbsp}567,50${nbsp}€`)
    expect(write('de', '1234567.50', 'EUR')).toBe(`1.234.567,50${nbsp}€`)
    expect(write('en-IN', '1234567.50', 'INR')).toBe('₹12,34,567.50')
  })

  test('puts the sign where the locale does', () => {
    expect(write('en', '12.50', 'USD', '−')).toBe('−$12.50')
    expect(write('en', '12.50', 'USD', '+')).toBe('+$12.50')
    expect(write('de', '12.50', 'EUR', '−')).toBe(`−12,50${nbsp}€`)
    expect(write('nl', '12.50', 'EUR', '−')).toBe(`€${nbsp}−12,50`)
  })

  test('keeps every decimal of the string, and adds those that the currency has', () => {
    expect(write('en', '5', 'USD')).toBe('$5.00')
    expect(write('en', '5', 'JPY')).toBe('¥5')
    expect(write('en', '0.1', 'TND')).toBe(`TND${nbsp}0.100`)
    expect(write('en', '0.123456789012345678', 'USD')).toBe('$0.123456789012345678')
  })

  test('keeps all 78 digits of the largest amounts', () => {
    for (const locale of ['en', 'fr', 'de']) {
      const digits = write(locale, huge, 'USD').replaceAll(/\D/g, '')
      expect(digits).toBe(huge.replace('.', ''))
    }
  })
})

describe('crypto amounts', () => {
  test('have the code behind the digits', () => {
    expect(write('en', '0.5', 'ETH')).toBe(`0.5${nbsp}ETH`)
    expect(write('fr', '0.5', 'ETH', '−')).toBe(`−0,5${nbsp}ETH`)
    expect(write('de', '1234.000000000000000001', 'USDT')).toBe(`1.234,000000000000000001${nbsp}USDT`)
  })

  test('are recognised by a code that is not in ISO 4217', () => {
    expect(['USD', 'XOF', 'KWD'].every(isIsoCurrency)).toBe(true)
    expect(['ETH', 'BNB', 'POL', 'USDT', 'USDC'].some(isIsoCurrency)).toBe(false)
  })
})

test('a decimal without a currency keeps every digit', () => {
  expect(createNumberFormat('en').groupDecimal('-1234.10')).toBe('1,234.10')
  expect(createNumberFormat('fr').groupDecimal('1234.10')).toBe(`1${narrowNbsp}234,10`)
  expect(createNumberFormat('de').groupDecimal(huge).replaceAll(/\D/g, '')).toBe(huge.replace('.', ''))
})
