import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/api-world.ts'
import { type Asked, listen as listenTo } from '../../local/listen.ts'
import { createTestDatabase } from '../../local/test-database.ts'

let world: ApiWorld
let baseUrl: string
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  baseUrl = await world.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => world.close())

function listen(path: string, init: Asked = {}) {
  const { publicKey, secretKey } = world.ours
  const headers = { authorization: `Bearer ${publicKey}`, 'x-api-private-key': secretKey, ...init.headers }
  return listenTo(baseUrl + path, { ...init, headers })
}
const makeVoucher = async () => {
  const { text } = await world.call('POST', '/sandbox/vouchers', { body: { amount: 5, currency: 'USD' } })
  return (JSON.parse(text) as { data: { id: string; code: string } }).data
}
const redeem = (voucherCode: string) =>
  world.call('POST', '/merchant-integrations/redeem-voucher', { body: { voucherCode, amount: 1 } })

describe('GET /events/stream', () => {
  test('sends new events within two seconds, and continues from the last id', async () => {
    await makeVoucher()
    const first = await listen('/events/stream')
    expect([first.status, first.type]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const startMs = performance.now()
    const { id, code } = await makeVoucher()
    const word = await first.next()
    expect(performance.now() - startMs).toBeLessThan(2_000)
    expect(word?.event).toBe('voucher.issued')
    expect(JSON.parse(word?.data ?? '')).toMatchObject({ objectId: id, sequence: 1 })
    first.close()
    await redeem(code)
    await redeem(code)
    const second = await listen('/events/stream', { headers: { 'last-event-id': word?.id ?? '' } })
    const events = [await second.next(), await second.next()].map(
      (one) => JSON.parse(one?.data ?? '') as { sequence: number },
    )
    expect(events.map(({ sequence }) => sequence)).toEqual([2, 3])
    second.close()
  })

  test('requires the secret key and a valid cursor', async () => {
    expect((await world.call('GET', '/events/stream', { keys: 'public' })).status).toBe(403)
    expect((await world.call('GET', '/events/stream?cursor=nonsense')).status).toBe(400)
    // A cursor from another PostgreSQL with more transactions.
    const ahead = Buffer.from('999999999999.1').toString('base64url')
    expect((await world.call('GET', `/events?cursor=${ahead}`)).status).toBe(400)
  })
})

describe('POST /holder/voucher/live', () => {
  const ofHolder = (code: string) =>
    listen('/holder/voucher/live', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    })

  test('reports changes of the voucher, and not those of other vouchers', async () => {
    const [ours, other] = [await makeVoucher(), await makeVoucher()]
    const stream = await ofHolder(ours.code)
    await redeem(other.code)
    await redeem(ours.code)
    expect(await stream.next()).toEqual({ event: 'changed', data: '{}' })
    stream.close()
  })

  test('reports at once a change since the page loaded', async () => {
    const { id, code } = await makeVoucher()
    await redeem(code)
    const body = JSON.stringify({ code, seen: id })
    const headers = { 'content-type': 'application/json' }
    const stream = await listen('/holder/voucher/live', { method: 'POST', headers, body })
    expect(await stream.next()).toEqual({ event: 'changed', data: '{}' })
    stream.close()
  })

  test('404: unknown code', async () => {
    expect((await ofHolder('0000-0000-0000-0000')).status).toBe(404)
  })

  test('429: limits streams per voucher and address, without affecting those of merchants', async () => {
    const vouchers = [await makeVoucher(), await makeVoucher(), await makeVoucher(), await makeVoucher()]
    vouchers.push(await makeVoucher())
    const streams = []
    for (const { code } of vouchers) for (let i = 0; i < 6; i++) streams.push(await ofHolder(code))
    // Five per voucher, twenty per address.
    expect(streams.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(streams.slice(0, 6).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
    const shop = await listen('/events/stream')
    expect(shop.status).toBe(200)
    for (const stream of [...streams, shop]) stream.close()
    const again = async (): Promise<number> => {
      const stream = await ofHolder(vouchers[0]?.code ?? '')
      stream.close()
      return stream.status
    }
    await expect.poll(again, { timeout: 3_000 }).toBe(200)
  })

  test('ends when the server stops, without delaying it', async () => {
    const stream = await ofHolder((await makeVoucher()).code)
    const startMs = performance.now()
    const closing = world.close()
    expect(await stream.next()).toBeUndefined()
    await closing
    expect(performance.now() - startMs).toBeLessThan(5_000)
    world = await createApiWorld((await createTestDatabase()).url)
  })
})
