// A promised price is an option for its holder. These are attacks that used to win money.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import type { Fields } from '../local/test/reply.ts'
import { restoreAfterTest } from '../local/test/restore.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { addPerson, pin } from '../local/test/visitor.ts'
import { createPool, type Pool } from './base/db.ts'
import { findRate, setManualRate } from './catalogue/currency/rates.ts'
import { isBeyondBand, recordRate } from './catalogue/exchange/record-rate.ts'
import { listHeldRates, saveTerms, setDeskLimit, setStopped, setUserDaily } from './catalogue/exchange/store.ts'
import { verifyLedger } from './ledger/verify.ts'

const M = '/merchant-integrations'
const S = '/merchant-integrations-server'
let world: ApiWorld
let owner: Pool
let now = new Date('2026-03-01T12:00:00Z')
const clock = () => now

beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url, clock)
  owner = createPool(ownerUrl, 2)
})
afterAll(async () => {
  expect(await verifyLedger(owner)).toEqual([])
  await owner.end()
  await world.close()
})
beforeEach(async () => {
  now = new Date(now.getTime() + 86_400_000)
  await setRate('1.0835')
})

const setRate = (rate: string) => setManualRate(world.pool, 'EUR', 'USD', rate, clock)
type Visitor = Awaited<ReturnType<typeof addPerson>>
type Quote = { quoteId: string; pays: string; gets: string; spreadPercent: string }

type Refused = { code: string; quote?: Quote }
async function post(visitor: Visitor, path: string, body: object) {
  const reply = await visitor.post(path, body)
  const { data = {}, error = { code: '' } } = reply.as<{ data?: Fields; error?: Refused }>()
  return { status: reply.status, data, error }
}
const quoteOf = async (visitor: Visitor, amount: string, from = 'USD', to = 'EUR') =>
  (await post(visitor, '/wallet/quotes', { from, to, amount })).data as Quote
const balanceOf = async (visitor: Visitor, currency: string): Promise<number> => {
  type Balances = { data: { balances: { currency: string; available: string }[] } }
  const { balances } = (await visitor.get('/wallet')).as<Balances>().data
  return Number(balances.find((one) => one.currency === currency)?.available ?? 0)
}

describe('a wallet exchange quote', () => {
  test('collecting quotes and waiting for the rate to move wins nothing', async () => {
    const ada = await addPerson(world, 'test')
    await world.fund(250, { user: ada.person.email })
    const quotes: Quote[] = []
    for (let i = 0; i < 20; i++) quotes.push(await quoteOf(ada, '100.00'))
    await setRate('1.0943')
    const outcomes: string[] = []
    for (const { quoteId } of quotes) outcomes.push((await post(ada, '/wallet/exchange', { quoteId, pin })).error.code)
    // All but the last were replaced; the last is refused with a new quote.
    expect(outcomes.slice(0, -1)).toEqual(quotes.slice(1).map(() => 'WALLET_QUOTE_STALE'))
    expect(outcomes.at(-1)).toBe('WALLET_RATE_MOVED')
    expect([await balanceOf(ada, 'USD'), await balanceOf(ada, 'EUR')]).toEqual([250, 0])
  })

  test('is refused above the balance', async () => {
    const ada = await addPerson(world, 'test')
    await world.fund(250, { user: ada.person.email })
    const { status, error } = await post(ada, '/wallet/quotes', { from: 'USD', to: 'EUR', amount: '250.01' })
    expect([status, error.code]).toEqual([402, 'WALLET_TOO_LOW'])
  })

  test('expires after two minutes, and the refusal contains a new valid quote', async () => {
    const ada = await addPerson(world, 'test')
    await world.fund(100, { user: ada.person.email })
    const { quoteId } = await quoteOf(ada, '100.00')
    now = new Date(now.getTime() + 120_000)
    const late = await post(ada, '/wallet/exchange', { quoteId, pin })
    expect([late.status, late.error.code]).toEqual([409, 'WALLET_RATE_MOVED'])
    const renewed = late.error.quote
    expect(renewed).toMatchObject({ pays: '100.00', spreadPercent: '0.5' })
    expect((await post(ada, '/wallet/exchange', { quoteId: renewed?.quoteId, pin })).status).toBe(200)
    expect(await balanceOf(ada, 'EUR')).toBe(Number(renewed?.gets))
  })

  test('is honoured while the market moves within the tolerance or in favour of the desk', async () => {
    for (const rate of ['1.0850', '1.0000']) {
      const ada = await addPerson(world, 'test')
      await world.fund(100, { user: ada.person.email })
      await setRate('1.0835')
      const { quoteId, gets } = await quoteOf(ada, '100.00')
      await setRate(rate)
      expect((await post(ada, '/wallet/exchange', { quoteId, pin })).status).toBe(200)
      expect(await balanceOf(ada, 'EUR')).toBe(Number(gets))
    }
  })

  test('counts towards the daily exchange limit of a user in any currency', async () => {
    restoreAfterTest(() => setUserDaily(world.pool, 10_000_00n))
    await setUserDaily(world.pool, 150_00n)
    const ada = await addPerson(world, 'test')
    await world.fund(500, { user: ada.person.email })
    await world.fund(500, { user: ada.person.email, currency: 'EUR' })
    const { quoteId } = await quoteOf(ada, '100.00')
    expect((await post(ada, '/wallet/exchange', { quoteId, pin })).status).toBe(200)
    const refused = await post(ada, '/wallet/quotes', { from: 'EUR', to: 'USD', amount: '50.00' })
    expect([refused.status, refused.error.code]).toEqual([422, 'EXCHANGE_DAILY_LIMIT'])
    expect((await post(ada, '/wallet/quotes', { from: 'EUR', to: 'USD', amount: '40.00' })).status).toBe(200)
    now = new Date(now.getTime() + 86_400_000)
    await setRate('1.0835')
    expect((await post(ada, '/wallet/quotes', { from: 'EUR', to: 'USD', amount: '50.00' })).status).toBe(200)
  })

  test('a desk never owes more than its limit, also with its first conversion', async () => {
    restoreAfterTest(() => setDeskLimit(world.pool, 'EUR', 10_000_000n))
    await setDeskLimit(world.pool, 'EUR', 150_00n)
    const ada = await addPerson(world, 'test')
    await world.fund(1_000, { user: ada.person.email })
    const first = await quoteOf(ada, '200.00')
    const refused = await post(ada, '/wallet/exchange', { quoteId: first.quoteId, pin })
    expect([refused.status, refused.error.code]).toEqual([409, 'EXCHANGE_LIMIT_REACHED'])
    const second = await quoteOf(ada, '100.00')
    expect((await post(ada, '/wallet/exchange', { quoteId: second.quoteId, pin })).status).toBe(200)
    const third = await quoteOf(ada, '100.00')
    expect((await post(ada, '/wallet/exchange', { quoteId: third.quoteId, pin })).error.code).toBe(
      'EXCHANGE_LIMIT_REACHED',
    )
    const { rows } = await owner.query<{ payload: { code: string } }>(
      `select payload from ledger_outbox where type = 'exchange.limit_reached'`,
    )
    // Two refusals but one alert: the next alert comes after ten minutes.
    expect(rows.filter(({ payload }) => payload.code === 'EXCHANGE_LIMIT_REACHED')).toHaveLength(1)
  })

  test('the stop switch refuses every conversion with 503, and nothing else', async () => {
    const ada = await addPerson(world, 'test')
    await world.fund(100, { user: ada.person.email })
    const { quoteId } = await quoteOf(ada, '10.00')
    const voucherCode = await world.voucher(10)
    restoreAfterTest(() => setStopped(world.pool, false))
    await setStopped(world.pool, true)
    const stopped = await Promise.all([
      post(ada, '/wallet/quotes', { from: 'USD', to: 'EUR', amount: '1.00' }),
      post(ada, '/wallet/exchange', { quoteId, pin }),
      world.redeem({ voucherCode, amount: 1, toCurrencyAbbreviation: 'EUR' }),
      world.post(`${M}/fetch-voucher-redemption-charges`, { voucherCode, amount: 1, toCurrencyAbbreviation: 'EUR' }),
    ])
    expect(stopped.map(({ status, error }) => [status, error?.code])).toEqual(
      stopped.map(() => [503, 'EXCHANGE_STOPPED']),
    )
    expect((await world.redeem({ voucherCode, amount: 1 })).status).toBe(200)
    await setStopped(world.pool, false)
    expect((await post(ada, '/wallet/exchange', { quoteId, pin })).status).toBe(200)
  })
})

describe('a redemption quote', () => {
  const quote = async (body: object) => {
    const { data } = await world.post(`${M}/fetch-voucher-redemption-charges`, body)
    return (data.charges as { quoteId: string }).quoteId
  }

  test('is valid for one of five concurrent redemptions', async () => {
    const body = { voucherCode: await world.voucher(1_000), amount: 100, toCurrencyAbbreviation: 'EUR' }
    const quoteId = await quote(body)
    const uses = await Promise.all(
      [1, 2, 3, 4, 5].map((i) => world.redeem({ ...body, quoteId, referenceId: `${quoteId.slice(0, 36)}-${i}` })),
    )
    expect(uses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(uses.filter(({ error }) => error?.code === 'QUOTE_STALE')).toHaveLength(4)
    const again = await world.redeem({ ...body, quoteId, referenceId: `${quoteId.slice(0, 36)}-6` })
    expect(again.error?.code).toBe('QUOTE_STALE')
  })

  test('is refused after the market has moved against the desk', async () => {
    const body = { voucherCode: await world.voucher(1_000), amount: 100, toCurrencyAbbreviation: 'EUR' }
    const quoteId = await quote(body)
    await setRate('2.1670')
    expect((await world.redeem({ ...body, quoteId })).error?.code).toBe('QUOTE_STALE')
  })

  test('in the same currency is single-use too', async () => {
    const body = { voucherCode: await world.voucher(100), amount: 10 }
    const quoteId = await quote(body)
    expect((await world.redeem({ ...body, quoteId })).status).toBe(200)
    expect((await world.redeem({ ...body, quoteId })).error?.code).toBe('QUOTE_STALE')
  })
})

describe('a converted refund', () => {
  const sell = async () => {
    await world.fund(2_000)
    const { data } = await world.post(`${S}/vouchers`, { amount: 1_000, currency: 'USD' })
    const referenceId = world.newId()
    const body = { voucherCode: data.code, amount: 900, toCurrencyAbbreviation: 'EUR', referenceId }
    expect((await world.redeem(body)).status).toBe(200)
    return { referenceId, voucherCode: data.code as string }
  }
  const refund = (referenceId: string, amount?: number) =>
    world.post(`${S}/refund`, { referenceId, refundReferenceId: world.newId(), amount })
  const statusOf = async (reference: string) => (await world.get(`${S}/verify-transaction/${reference}`)).data

  test('pays the amount at the current rate if that is smaller, and is complete by the transaction’s own amount', async () => {
    const { referenceId, voucherCode } = await sell()
    await setRate('0.8668')
    const { status, data } = await refund(referenceId)
    // 900 × 0.8668 ÷ 1.0835.
    expect([status, data.amount, data.returnedAmount, data.returnedCurrency]).toEqual([200, 900, 720, 'USD'])
    expect(await world.left(voucherCode)).toBe(820)
    expect(await statusOf(referenceId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 900 })
    expect((await refund(referenceId)).error?.code).toBe('REFUND_TOO_LARGE')
  })

  test('pays the original amount if the rate is unchanged or better', async () => {
    const { referenceId, voucherCode } = await sell()
    expect((await refund(referenceId, 450)).data.returnedAmount).toBe(450)
    await setRate('1.5')
    expect((await refund(referenceId)).data.returnedAmount).toBe(450)
    expect(await world.left(voucherCode)).toBe(1_000)
  })

  test('compares with the market at the time of the payment, not with an older quote', async () => {
    await world.fund(2_000)
    const { data } = await world.post(`${S}/vouchers`, { amount: 1_000, currency: 'USD' })
    const body = { voucherCode: data.code, amount: 900, toCurrencyAbbreviation: 'EUR' }
    const referenceId = world.newId()
    const { data: quoted } = await world.post(`${M}/fetch-voucher-redemption-charges`, body)
    const { quoteId } = quoted.charges as { quoteId: string }
    // Within the tolerance: the quote is honoured, and the desk takes the loss.
    await setRate('1.0850')
    expect((await world.redeem({ ...body, quoteId, referenceId })).status).toBe(200)
    await setRate('1.0835')
    // 900 × 1.0835 ÷ 1.0850, rounded down.
    expect((await refund(referenceId)).data.returnedAmount).toBe(898.75)
  })

  test('of a wallet payment follows the same rule', async () => {
    const ada = await addPerson(world, 'test')
    await world.fund(100, { user: ada.person.email, currency: 'EUR' })
    const reference_id = world.newId()
    const request = { amount: 54, currency: 'USD', user_identifier: ada.person.username, reference_id }
    expect((await world.post(`${M}/payment-request`, request)).status).toBe(200)
    type Requests = { data: { requests: { id: string }[] } }
    const id = (await ada.get('/wallet/payment-requests')).as<Requests>().data.requests[0]?.id ?? ''
    type Offers = { data: { from: { from: string; quoteId: string; pays: string }[] } }
    const { from } = (await ada.get(`/wallet/payment-requests/${id}`)).as<Offers>().data
    const euros = from.find((offer) => offer.from === 'EUR')
    // The dollar has risen: the quote is refused with a new price.
    await setRate('1.0700')
    const moved = await post(ada, `/wallet/payment-requests/${id}/authorise`, { quoteId: euros?.quoteId, pin })
    expect([moved.status, moved.error.code]).toEqual([409, 'WALLET_RATE_MOVED'])
    const quoteId = moved.error.quote?.quoteId
    expect((await post(ada, `/wallet/payment-requests/${id}/authorise`, { quoteId, pin })).status).toBe(200)
    const paid = 100 - (await balanceOf(ada, 'EUR'))
    expect(paid).toBeCloseTo(Number(moved.error.quote?.pays), 9)
    // The euro doubles: at the old rate the merchant's 54 dollars would return twice their value.
    await setRate('2.1400')
    const { data } = await refund(reference_id)
    expect(data.returnedAmount).toBeCloseTo(Math.floor((paid / 2) * 100) / 100, 9)
    expect(await statusOf(reference_id)).toMatchObject({ status: 'REFUNDED' })
  })
})

describe('rates', () => {
  test('crypto rates are valid for five minutes, fiat rates for an hour', async () => {
    await setManualRate(world.pool, 'ETH', 'USD', '2000', clock)
    now = new Date(now.getTime() + 5 * 60_000)
    await findRate(world.pool, 'ETH', 'USD', clock)
    now = new Date(now.getTime() + 1)
    await expect(findRate(world.pool, 'ETH', 'USD', clock)).rejects.toMatchObject({ code: 'RATE_UNKNOWN' })
    // Through the pivot, both rates must be recent.
    await expect(findRate(world.pool, 'ETH', 'EUR', clock)).rejects.toMatchObject({ code: 'RATE_UNKNOWN' })
    await findRate(world.pool, 'EUR', 'USD', clock)
  })

  test('a fetched rate that jumps further than its band waits for the operator', async () => {
    const say = (rate: string) => recordRate(world.pool, { from: 'USD', to: 'GHS', source: 'bank', rate, asOf: now })
    expect((await say('12')).isHeld).toBe(false)
    expect((await say('13.2')).isHeld).toBe(false)
    expect((await say('14.6')).isHeld).toBe(true)
    const { rate } = await findRate(world.pool, 'USD', 'GHS', clock)
    expect(rate).toEqual({ numerator: 132n, denominator: 10n })
    expect(await listHeldRates(world.pool)).toMatchObject([{ from: 'USD', to: 'GHS', rate: '14.6' }])
    // The inverse is the same pair.
    expect(await isBeyondBand(world.pool, { from: 'GHS', to: 'USD', rate: '0.2' })).toBe(true)
    expect((await say('13')).isHeld).toBe(false)
    expect(await listHeldRates(world.pool)).toEqual([])
  })

  test('a tolerance above the spread is refused by the database', async () => {
    const terms = { spreadPpm: 1_000n, tolerancePpm: 1_001n, bandPpm: 1n }
    await expect(saveTerms(world.pool, 'EUR', 'USD', terms)).rejects.toThrow('exchange_pairs_spread_covers_tolerance')
  })

  test('quotes show the spread and the market rate', async () => {
    const { data } = await world.post('/sandbox/vouchers', { amount: 10, currency: 'USD' })
    const body = { voucherCode: data.code, amount: 10, toCurrencyAbbreviation: 'EUR' }
    const { charges } = (await world.post(`${M}/fetch-voucher-redemption-charges`, body)).data
    expect(charges).toMatchObject({ spreadPercentage: 0.5, toAmount: 9.18 })
    const { exchangeRate, marketRate } = charges as { exchangeRate: number; marketRate: number }
    expect(exchangeRate / marketRate).toBeCloseTo(0.995, 12)
  })
})
