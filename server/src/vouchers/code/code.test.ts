import { describe, expect, test } from 'vitest'
import { createSeededRandom } from '../../base/random.ts'
import { makeCode, readCode, showCode } from './code.ts'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codes = Array.from({ length: 200 }, (_, i) => makeCode(createSeededRandom(`code ${i}`)))

describe('a voucher code', () => {
  test('has 16 symbols in groups of four and can be read back', () => {
    for (const code of codes) {
      expect(showCode(code)).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
      expect(readCode(showCode(code))).toMatchObject({ symbols: code, isOurs: true })
    }
    expect(new Set(codes).size).toBe(codes.length)
  })

  test('is read in any case, without dashes, with spaces, and with letters for similar digits', () => {
    for (const code of codes) {
      const typed = showCode(code).toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('-', ' ')
      expect(readCode(` ${typed} `)).toMatchObject({ symbols: code, isOurs: true })
    }
  })

  test('detects every single wrong symbol', () => {
    for (const code of codes.slice(0, 20))
      for (let i = 0; i < code.length; i++)
        for (const symbol of alphabet)
          if (symbol !== code[i]) expect(readCode(code.slice(0, i) + symbol + code.slice(i + 1)).isOurs).toBe(false)
  })

  test('detects every swap of two symbols, adjacent or not', () => {
    for (const code of codes)
      for (let i = 0; i < code.length; i++)
        for (let j = i + 1; j < code.length; j++) {
          if (code[i] === code[j]) continue
          const symbols = Array.from(code)
          ;[symbols[i], symbols[j]] = [code[j] ?? '', code[i] ?? '']
          expect(readCode(symbols.join('')).isOurs).toBe(false)
        }
  })

  test.each([
    'ABCD-EFGH',
    '0000-0000-0000-000U',
    '0000-0000-0000-0000-0',
    'gift 2019-0042',
    'abcd1234efgh5678',
    'GIFT-1234-567890',
  ])('from another system is shown unchanged: %j', (text) => {
    expect(readCode(text).isOurs).toBe(false)
    expect(showCode(text)).toBe(text)
  })

  test.each(['', '0', 'ABCDE', 'ÄÖÜÄÖÜ', '😀😀😀', '1'.repeat(41), 'GIFT/2019'])('cannot be %j', (text) => {
    expect(() => readCode(text)).toThrow(expect.objectContaining({ code: 'VOUCHER_CODE_MISTYPED' }))
  })
})
