import { expect, test } from 'vitest'
import { writeAmount } from './write-amount.ts'

/** With plain spaces instead of no-break spaces. */
const write = (language: 'en' | 'fr', amount: string, currency: string): string =>
  writeAmount(language, { amount, currency }).replaceAll(/[\u00a0\u202f]/g, ' ')

test.each([
  ['12.50', 'USD', '$12.50', '12,50 $'],
  ['45.00', 'EUR', '€45.00', '45,00 €'],
  ['1234.50', 'CAD', 'CA$1,234.50', '1 234,50 $CA'],
  ['1000', 'JPY', '¥1,000', '1 000 ¥'],
  ['0.500000000000000000', 'ETH', '0.5 ETH', '0,5 ETH'],
  ['1000.000000', 'USDT', '1,000 USDT', '1 000 USDT'],
  ['1000', 'USDT', '1,000 USDT', '1 000 USDT'],
])('%s %s is %s in English and %s in French', (amount, currency, english, french) => {
  expect(write('en', amount, currency)).toBe(english)
  expect(write('fr', amount, currency)).toBe(french)
})

test('keeps every digit of amounts that no float can hold', () => {
  expect(write('en', '9007199254740993.12', 'USD')).toBe('$9,007,199,254,740,993.12')
  expect(write('fr', '0.000000000000000001', 'ETH')).toBe('0,000000000000000001 ETH')
})
