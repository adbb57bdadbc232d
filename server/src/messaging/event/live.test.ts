import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { type Asked, listen as listenTo } from '../../../local/parts/listen.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'

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
describe('GET /events/stream', () => {
  test('sends new events, and continues from the last id', async () => {
    await world.issueVoucher(5)
    const first = await listen('/events/stream')
    expect([first.status, first.type]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const { id, code } = await world.issueVoucher(5)
    const word = await first.next()
    expect(word?.event).toBe('voucher.issued')
    expect(JSON.parse(word?.data ?? '')).toMatchObject({ objectId: id, sequence: 1 })
    first.close()
    await world.redeem({ voucherCode: code, amount: 1 })
    await world.redeem({ voucherCode: code, amount: 1 })
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
    const [ours, other] = [await world.issueVoucher(5), await world.issueVoucher(5)]
    const stream = await ofHolder(ours.code)
    await world.redeem({ voucherCode: other.code, amount: 1 })
    await world.redeem({ voucherCode: ours.code, amount: 1 })
    expect(await stream.next()).toEqual({ event: 'changed', data: '{}' })
    stream.close()
  })

  test('reports at once a change since the page loaded', async () => {
    const { id, code } = await world.issueVoucher(5)
    await world.redeem({ voucherCode: code, amount: 1 })
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
    const vouchers = [
      await world.issueVoucher(5),
      await world.issueVoucher(5),
      await world.issueVoucher(5),
      await world.issueVoucher(5),
    ]
    vouchers.push(await world.issueVoucher(5))
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
    const stream = await ofHolder((await world.issueVoucher(5)).code)
    const closing = world.close()
    expect(await stream.next()).toBeUndefined()
    await closing
    world = await createApiWorld((await createTestDatabase()).url)
  })
})
