import { expect, test } from 'vitest'
import { systemRandom } from '../../base/random.ts'
import { createKeyRing } from '../code/key-ring.ts'
import { type Quote, quoteEnd, readQuote, sealQuote } from './quote.ts'

const at = new Date('2026-01-01T12:00:00Z')
const ring = createKeyRing([{ id: 1, secret: systemRandom(32) }])
const terms = { environmentId: 'shop', voucherId: 'voucher', amount: '1000', to: 'USD', payee: '' }
const quote: Quote = {
  offer: { amount: 1000n, charge: 25n, chargeType: 'MIXED', chargedTo: 'voucher', toAmount: 10n ** 30n },
  id: '01940000-0000-7000-8000-000000000001',
  price: {
    rate: { numerator: 10n ** 40n, denominator: 3n },
    source: '1n',
    asOf: at,
    spreadPpm: 0n,
    tolerancePpm: 0n,
  },
  expiresAt: quoteEnd(at),
}

const stale = expect.objectContaining({ code: 'QUOTE_STALE' }) as Error

const make = (of = ring): string => sealQuote(of, systemRandom, terms, quote)

test('a quote can be read unchanged for five minutes', () => {
  const quoteId = make()
  expect(readQuote(ring, quoteId, terms, new Date('2026-01-01T12:04:59.999Z'))).toEqual(quote)
  expect(() => readQuote(ring, quoteId, terms, new Date('2026-01-01T12:05:00Z'))).toThrow(stale)
})

test.each([
  ['another merchant', { environmentId: 'other' }],
  ['another voucher', { voucherId: 'other' }],
  ['another amount', { amount: '1001' }],
  ['another currency', { to: 'EUR' }],
  ['an address', { payee: 'other' }],
])('a quote is refused for %s', (_, change) => {
  expect(() => readQuote(ring, make(), { ...terms, ...change }, at)).toThrow(stale)
})

test('a forged quote and one under a key outside the ring are refused', () => {
  const stranger = createKeyRing([{ id: 1, secret: systemRandom(32) }])
  const grown = createKeyRing([{ id: 2, secret: systemRandom(32) }])
  for (const quoteId of [make(stranger), make(grown), '', '1..', `1.${'a'.repeat(50)}.${'b'.repeat(43)}`])
    expect(() => readQuote(ring, quoteId, terms, at)).toThrow(stale)
})

test('a quote is refused under the number of another', () => {
  const other = make().replace('000000000001', '000000000002')
  expect(() => readQuote(ring, other, terms, at)).toThrow(stale)
})
