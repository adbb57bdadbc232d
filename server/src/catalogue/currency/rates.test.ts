import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asRole } from '../../../local/parts/database.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { createManualClock } from '../../base/clock.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { fetchRates } from './fetch-rates.ts'
import { findRate, setManualRate } from './rates.ts'
import { saveRate } from './store.ts'

const minuteMs = 60_000
let pool: Pool
let clock: ReturnType<typeof createManualClock>
let days = 0

beforeAll(async () => {
  pool = createPool(asRole((await createTestDatabase()).url, 'scrip_operator'))
})
afterAll(() => pool.end())
// Each test has its own day, so that rates of other tests are too old.
beforeEach(() => {
  clock = createManualClock(new Date(Date.UTC(2026, 5, ++days)))
})

const rate = async (from: string, to: string) => {
  const { rate: found, source } = await findRate(pool, from, to, clock)
  return `${found.numerator}/${found.denominator} ${source}`
}

describe('a rate', () => {
  test('is used directly and inverted', async () => {
    await setManualRate(pool, 'USD', 'NGN', '1530.25', clock)
    expect(await rate('USD', 'NGN')).toBe('153025/100 manual')
    expect(await rate('NGN', 'USD')).toBe('100/153025 manual')
  })

  test('goes through the pivot if there is no direct one, and has the time of the older of the two', async () => {
    await setManualRate(pool, 'USD', 'NGN', '1500', clock)
    clock.advance(10 * minuteMs)
    await setManualRate(pool, 'EUR', 'USD', '1.10', clock)
    expect(await rate('EUR', 'NGN')).toBe('165000/100 manual+manual')
    expect((await findRate(pool, 'NGN', 'EUR', clock)).asOf).toEqual(new Date(clock().getTime() - 10 * minuteMs))
  })

  test('of a currency to itself is 1 without any source', async () => {
    expect(await rate('KES', 'KES')).toBe('1/1 same')
  })

  test('that is too old or missing is refused', async () => {
    await setManualRate(pool, 'USD', 'GHS', '12', clock)
    clock.advance(60 * minuteMs)
    expect(await rate('USD', 'GHS')).toBe('12/1 manual')
    clock.advance(1)
    await expect(findRate(pool, 'USD', 'GHS', clock)).rejects.toMatchObject({
      code: 'RATE_UNKNOWN',
      kind: 'unavailable',
    })
    await expect(findRate(pool, 'ZAR', 'JPY', clock)).rejects.toMatchObject({ code: 'RATE_UNKNOWN' })
  })

  test('set manually comes first, then the newest; an older rate that arrives late is ignored', async () => {
    const save = (source: string, value: string, agoMs: number) =>
      saveRate(pool, { from: 'USD', to: 'KES', source, rate: value, asOf: new Date(clock().getTime() - agoMs) })
    await save('one', '129', 5 * minuteMs)
    await save('two', '130', 2 * minuteMs)
    expect(await rate('USD', 'KES')).toBe('130/1 two')
    await save('two', '99', 8 * minuteMs)
    expect(await rate('USD', 'KES')).toBe('130/1 two')
    await setManualRate(pool, 'USD', 'KES', '128', clock)
    await save('one', '131', 0)
    expect(await rate('USD', 'KES')).toBe('128/1 manual')
  })

  test.each(['0', '-1', 'x', '1e5', ''])('cannot be %j', async (text) => {
    await expect(setManualRate(pool, 'USD', 'EUR', text, clock)).rejects.toMatchObject({ code: 'RATE_INVALID' })
  })
})

describe('a source over HTTP', () => {
  let server: Server
  let response: { status: number; body: string }
  const source = () => ({ name: 'bank', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` })
  beforeAll(async () => {
    server = createServer((_, reply) => reply.writeHead(response.status, { location: '/elsewhere' }).end(response.body))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => server.close())

  test('has every digit of its rates saved', async () => {
    const rates = '{"NGN":1530.123456789012345678,"EUR":"0.92","USD":1,"XXX":5}'
    response = { status: 200, body: `{"base":"USD","at":"${clock().toISOString()}","rates":${rates}}` }
    for (const each of await fetchRates(pool, source(), clock)) await saveRate(pool, each)
    expect(await rate('USD', 'NGN')).toBe('1530123456789012345678/1000000000000000000 bank')
  })

  test.each([
    [500, '{}'],
    [302, '{}'],
    [200, 'not json'],
    [200, '{"base":"USD","at":"yesterday","rates":{"NGN":1}}'],
    [200, '{"base":"USD","at":"2026-01-01T00:00:00Z","rates":{"NGN":-1}}'],
    [200, '{"base":"USD","at":"2026-01-01T00:00:00Z","rates":{"NGN":0}}'],
    [200, '{"base":"USD","at":"2036-01-01T00:00:00Z","rates":{"NGN":1}}'],
    [200, '{"base":"XXX","at":"2026-01-01T00:00:00Z","rates":{}}'],
  ])('that responds with %i %s changes no rate', async (status, body) => {
    response = { status, body }
    const before = await pool.query('select * from exchange_rates order by 1, 2, 3')
    await expect(fetchRates(pool, source(), clock)).rejects.toThrow()
    expect((await pool.query('select * from exchange_rates order by 1, 2, 3')).rows).toEqual(before.rows)
  })
})
