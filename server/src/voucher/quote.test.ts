import { expect, test } from 'vitest'
import { systemRandom } from '../base/random.ts'
import { createKeyRing } from './key-ring.ts'
import { type Quote, quoteEnd, readQuote, sealQuote } from './quote.ts'

const at = new Date('2026-01-01T12:00:00Z')
const ring = createKeyRing([{ id: 1, secret: systemRandom(32) }])
const wanted = { environmentId: 'shop', voucherId: 'voucher', wished: '1000', to: 'USD' }
const quote: Quote = {
  offer: { amount: 1000n, charge: 25n, chargeType: 'MIXED', chargedTo: 'voucher', toAmount: 10n ** 30n },
  id: '01940000-0000-7000-8000-000000000001',
  price: {
    rate: { numerator: 10n ** 40n, denominator: 3n },
    source: '1n',
    saidAt: at,
    spreadPpm: 0n,
    tolerancePpm: 0n,
  },
  expiresAt: quoteEnd(at),
}

const make = (of = ring): string => sealQuote(of, systemRandom, wanted, quote)

test('a quote is read as it was made, until its five minutes are over', () => {
  const quoteId = make()
  expect(readQuote(ring, quoteId, wanted, new Date('2026-01-01T12:04:59.999Z'))).toEqual(quote)
  expect(() => readQuote(ring, quoteId, wanted, new Date('2026-01-01T12:05:00Z'))).toThrow(/has ended/)
})

test.each([
  ['another merchant', { environmentId: 'other' }],
  ['another voucher', { voucherId: 'other' }],
  ['another amount', { wished: '1001' }],
  ['another currency', { to: 'EUR' }],
])('a quote is of no use for %s', (_, change) => {
  expect(() => readQuote(ring, make(), { ...wanted, ...change }, at)).toThrow(/has ended/)
})

test('nobody but us can make a quote, and one of a key that has left the ring is void', () => {
  const stranger = createKeyRing([{ id: 1, secret: systemRandom(32) }])
  const grown = createKeyRing([{ id: 2, secret: systemRandom(32) }])
  for (const quoteId of [make(stranger), make(grown), '', '1..', `1.${'a'.repeat(50)}.${'b'.repeat(43)}`])
    expect(() => readQuote(ring, quoteId, wanted, at)).toThrow(/has ended/)
})

test('a quote is of no use under the number of another', () => {
  const other = make().replace('000000000001', '000000000002')
  expect(() => readQuote(ring, other, wanted, at)).toThrow(/has ended/)
})
