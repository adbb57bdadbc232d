import { expect, test } from 'vitest'
import { toLine } from './csv.ts'

test('cells that a spreadsheet would read as a formula are escaped', () => {
  for (const cell of [
    '=1+1',
    '+1',
    '-1',
    '@x',
    '\t=1',
    '\r=1',
    '\n=1',
    ' =1',
    '＝1+1',
    '＋1',
    '－1',
    '＠x',
    '\u00a0=1',
    '\u200b=1',
  ])
    expect([cell, toLine([cell])]).toEqual([cell, expect.stringMatching(/^"?'/)])
  expect(toLine(['a=b', '12.50', 'x@example.com', ''])).toBe('a=b,12.50,x@example.com,\r\n')
})
