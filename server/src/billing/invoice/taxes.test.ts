import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTax, readTotal, totalOf } from './taxes.ts'

const amountOf = (rate: string, net: bigint): bigint => readTax({ name: 'VAT', rate }, net, 'taxes.0').amount

test('a tax is the nearest minor unit to the exact share, and a half rounds up', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.integer({ min: 0, max: 100_000 }), (net, thousandths) => {
      const digits = String(thousandths).padStart(4, '0')
      const amount = amountOf(`${digits.slice(0, -3)}.${digits.slice(-3)}`, net)
      // Twice the error, in units of 100,000ths of a minor unit.
      const error = 2n * (amount * 100_000n - net * BigInt(thousandths))
      expect(error > -100_000n && error <= 100_000n).toBe(true)
    }),
  )
  expect([1n, 3n, 5n].map((net) => amountOf('50', net))).toEqual([1n, 2n, 3n])
  expect([amountOf('0.001', 50_000n), amountOf('0.001', 49_999n)]).toEqual([1n, 0n])
})

test('a rate is from 0 to 100 percent with at most three decimals, in plain digits', () => {
  for (const rate of ['0', '0.000', '5.5', '20', '99.999', '100', '100.000'])
    expect(() => amountOf(rate, 100n)).not.toThrow()
  for (const rate of [
    ...['', ' 20', '-1', '-0', '+5', '020', '20.', '.5', '1.2345', '100.001', '101', '999', '1e1', '1e400'],
    ...['NaN', 'Infinity', '0x10', '20%', '9'.repeat(10_000)],
  ])
    expect(() => amountOf(rate, 100n), rate).toThrow('from 0 to 100 percent')
})

test('the total is the net amount and all taxes, up to a trillion', () => {
  const taxes = ['20', '5.5', '0'].map((rate) => readTax({ name: 'Tax', rate }, 1_000n, 'taxes.0'))
  expect(totalOf(1_000n, taxes)).toBe(1_255n)
  const usd = { code: 'USD', decimals: 2 }
  const half = 50_000_000_000_000n
  const doubling = [readTax({ name: 'Tax', rate: '100' }, half, 'taxes.0')]
  expect(readTotal(half, doubling, usd)).toBe(2n * half)
  expect(() => readTotal(half + 1n, doubling, usd)).toThrow('exceeds 1,000,000,000,000')
})
