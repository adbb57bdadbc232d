import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digitsOf, exactNumber, parseExactJson } from './exact-json.ts'

const digits = (text: string): string | undefined => digitsOf(parseExactJson(`{"amount":${text}}`) as object, 'amount')

describe('parseExactJson', () => {
  test.each([
    '0.1',
    '9007199254740993',
    '1e400',
    '-0',
    '0.000000000000000001',
    '12345678901234567890.123456789012345678',
  ])('keeps every digit of %s', (text) => expect(digits(text)).toBe(text))

  test.each([
    ['5e-05', '0.00005'],
    ['1e-7', '0.0000001'],
    ['1.25E2', '125'],
    ['1.25e+1', '12.5'],
    ['12e3', '12000'],
    ['0.5e1', '5'],
    ['-1e2', '-100'],
    ['1.50e-1', '0.150'],
    ['1e100', '1e100'],
  ])('reads %s as %s', (text, plain) => expect(digits(text)).toBe(plain))

  test('refuses a large body of many small values within the time of reading it, and accepts one of a long string', () => {
    const keys = Array.from({ length: 300_000 }, (_, i) => `"${i.toString(36)}":0`)
    for (const text of [`{${keys.join(',')}}`, `[${'0,'.repeat(1_400_000)}0]`, '['.repeat(2_800_000)]) {
      const startMs = performance.now()
      expect(() => parseExactJson(text)).toThrow(expect.objectContaining({ code: 'BODY_MALFORMED' }) as Error)
      expect(performance.now() - startMs).toBeLessThan(500)
    }
    const file = { name: 'a, {b}, "c" \\', content: '"[{,'.repeat(500_000) }
    expect(parseExactJson(JSON.stringify(file))).toEqual(file)
  })

  test('accepts "0.1" like 0.1, and no other type as a number', () => {
    expect(digits('"0.1"')).toBe('0.1')
    expect(['[5]', 'null', 'true', '{"a":1}'].map(digits)).toEqual([undefined, undefined, undefined, undefined])
  })

  test('keeps digits at any depth, separately for each object', () => {
    const body = parseExactJson('{"items":[{"price":1.10},{"price":2.20}]}') as { items: object[] }
    expect(body.items.map((item) => digitsOf(item, 'price'))).toEqual(['1.10', '2.20'])
  })

  test.each([
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"x":{"a":1,"a":1}}',
    '[{"a":1,"b":2,"a":3}]',
    '{"a":[],"a":[]}',
  ])('refuses a duplicate key: %s', (text) =>
    expect(() => parseExactJson(text)).toThrow(expect.objectContaining({ code: 'BODY_MALFORMED' })),
  )

  test.each([
    '{"a":{"a":1},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"b","b":"a:a"}',
    '{"a":"\\"a\\":1,"}',
    '{"constructor":"Ann"}',
  ])('accepts %s, which has no duplicate key', (text) => expect(parseExactJson(text)).toEqual(JSON.parse(text)))

  test.each([
    '{"__proto__":{"a":1}}',
    '{"x":{"__proto__":1}}',
    '{"constructor":{"prototype":{}}}',
    '{"a":"x\\u0000"}',
    '{',
    '',
    '{"a":01}',
    'NaN',
  ])('refuses %s', (text) =>
    expect(() => parseExactJson(text)).toThrow(expect.objectContaining({ code: 'BODY_MALFORMED' })),
  )

  // A regular expression that backtracks would need hours for these 6 MB.
  test('refuses megabytes of quotes in linear time', () => {
    expect(() => parseExactJson('"\\"'.repeat(2_200_000))).toThrow(expect.objectContaining({ code: 'BODY_MALFORMED' }))
  })

  test('reads everything that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        if (text.includes('__proto__') || text.includes('constructor')) return
        expect(parseExactJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })
})

test('exactNumber writes a number literal with every digit', () => {
  expect(JSON.stringify({ balance: exactNumber('12345678901234567890.123456789012345678') })).toBe(
    '{"balance":12345678901234567890.123456789012345678}',
  )
})
