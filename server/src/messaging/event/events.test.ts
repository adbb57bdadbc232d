import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { settleEvents } from '../../../local/test/settle-events.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addPerson } from '../../../local/test/visitor.ts'
import { connect, inTransaction, type Pool, createPool } from '../../base/db.ts'
import { publishEvents } from '../../ledger/outbox.ts'

const SK = '/merchant-integrations-server'
const dayMs = 24 * 60 * 60 * 1_000
type WireEvent = {
  id: string
  type: string
  objectId: string
  sequence: number
  mode: string
  data: Record<string, string>
}
type Page = { events: WireEvent[]; nextCursor: string; hasMore: boolean }

let world: ApiWorld
let owner: Pool
let databaseUrl: string
let now = new Date('2026-03-01T12:00:00Z')
beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  databaseUrl = url
  world = await createApiWorld(url, () => now)
  owner = createPool(ownerUrl, 2)
  // With a fee, so that a redemption moves its voucher twice but publishes one event.
  await world.charge()
  for (const as of [world.ours, world.theirs]) await world.fund(10_000, { as })
})
afterAll(async () => {
  await owner.end()
  await world.close()
})

const post = async (path: string, body: object, as?: WorldMerchant) =>
  (await world.post<Record<string, string>>(path, body, as)).data
const page = async (query = '', as?: WorldMerchant): Promise<Page> =>
  (await world.get<Page>(`/events${query}`, as)).data
/** Reads new events until there are `count`, because an open transaction of another test may hold some back. */
async function follow(as: WorldMerchant = world.ours) {
  let cursor = ''
  const readOn = async (): Promise<WireEvent[]> => {
    const { events, nextCursor, hasMore } = await page(cursor === '' ? '' : `?cursor=${cursor}`, as)
    cursor = nextCursor
    return hasMore ? [...events, ...(await readOn())] : events
  }
  await settleEvents(world.pool)
  await readOn()
  return async (count: number): Promise<WireEvent[]> => {
    const found = await readOn()
    while (found.length < count) {
      await sleep(20)
      found.push(...(await readOn()))
    }
    return found
  }
}

describe('GET /events', () => {
  test('lists all events of a voucher in order, with consecutive sequence numbers', async () => {
    const read = await follow()
    const { id = '', code = '' } = await post(`${SK}/vouchers`, { amount: 50, currency: 'USD', referenceId: 'gift-1' })
    const sale = { voucherCode: code, amount: 20, referenceId: 'sale-1', metaData: 'table 4' }
    await post('/merchant-integrations/redeem-voucher', sale)
    await post(`${SK}/refund`, { referenceId: 'sale-1', amount: 5, refundReferenceId: 'back-1', reason: 'cold' })
    await post(`${SK}/vouchers/${id}/block`, {})
    await post(`${SK}/vouchers/${id}/unblock`, {})
    const { id: heir = '' } = await post(`${SK}/vouchers/${id}/replace`, {})
    const events = await read(8)
    const of = (objectId: string) => events.filter((event) => event.objectId === objectId)
    expect(of(id).map(({ type, sequence }) => `${sequence} ${type}`)).toEqual([
      '1 voucher.issued',
      '2 voucher.redeemed',
      '3 voucher.refunded',
      '4 voucher.blocked',
      '5 voucher.unblocked',
      '6 voucher.replaced',
    ])
    expect(of(heir)).toMatchObject([{ type: 'voucher.issued', sequence: 1, data: { amount: '34.60', replaces: id } }])
    expect(events.filter(({ type }) => type === 'refund.completed')).toMatchObject([
      { sequence: 1, mode: 'test', data: { amount: '5.00', currency: 'USD', refundOf: 'sale-1', reference: 'back-1' } },
    ])
    expect(new Set(events.map((event) => event.id)).size).toBe(events.length)
    expect(events.find(({ type }) => type === 'voucher.redeemed')?.data).toMatchObject({
      ...{ type: 'VOUCHER_REDEMPTION', reference: 'sale-1', metadata: 'table 4', userId: null },
    })
    expect(events.find(({ type }) => type === 'refund.completed')?.data).toMatchObject({
      ...{ type: 'REFUND', metadata: 'cold', userId: null },
    })
    expect(JSON.stringify(events)).not.toContain(code)
  })

  test('carries the type, reference, metadata and user of a payout and of a payment', async () => {
    const read = await follow()
    const { person } = await addPerson(world, 'test')
    const [from, to] = [{ fromCurrencyAbbreviation: 'USD' }, { toCurrencyAbbreviation: 'USD' }]
    const user = { platformUsernameOrEmail: person.username }
    await post(`${SK}/payout`, { amount: 5, ...from, ...to, ...user, referenceId: 'wages-1', metaData: 'March' })
    const asked = { amount: 2, currency: 'USD', user_identifier: person.username, reference_id: 'order-1' }
    await post('/merchant-integrations/payment-request', { ...asked, metadata: { order: 'A-1' } })
    await post('/sandbox/payment-requests/order-1/authorise', {})
    const [paidOut, paid] = await read(2)
    const common = { userId: person.id, hash: '', currency: 'USD' }
    const payout = { type: 'PAYOUT', reference: 'wages-1', metadata: 'March', amount: '5.00' }
    expect(paidOut).toMatchObject({ type: 'payout.completed', data: { ...common, ...payout } })
    const payment = { type: 'PAYMENT_REQUEST', reference: 'order-1', metadata: '{"order":"A-1"}', amount: '2.00' }
    expect(paid).toMatchObject({ type: 'payment.completed', data: { ...common, ...payment } })
  })

  test('filters by type or group and starts from now; an unknown type is refused', async () => {
    await settleEvents(world.pool)
    const { nextCursor } = await page('?cursor=now')
    expect((await page(`?cursor=${nextCursor}`)).events).toEqual([])
    const { id = '' } = await post(`${SK}/vouchers`, { amount: 1, currency: 'USD' })
    await post(`${SK}/vouchers/${id}/block`, {})
    await post(`${SK}/vouchers/${id}/unblock`, {})
    await settleEvents(world.pool)
    const typesOf = async (query: string) =>
      (await page(`?cursor=${nextCursor}&${query}`)).events.map(({ type }) => type)
    expect(await typesOf('type=voucher.blocked')).toEqual(['voucher.blocked'])
    expect(await typesOf('type=voucher.*')).toEqual(['voucher.issued', 'voucher.blocked', 'voucher.unblocked'])
    expect(await typesOf('type=payout.*')).toEqual([])
    const first = await page(`?cursor=${nextCursor}&type=voucher.*&limit=1`)
    expect(first).toMatchObject({ events: [{ type: 'voucher.issued' }], hasMore: true })
    const rest = await page(`?cursor=${first.nextCursor}&type=voucher.*&limit=2`)
    expect(rest).toMatchObject({ events: [{ type: 'voucher.blocked' }, { type: 'voucher.unblocked' }], hasMore: false })
    // A filter that finds nothing moves on, too.
    const none = await page(`?cursor=${nextCursor}&type=payout.completed`)
    expect((await page(`?cursor=${none.nextCursor}`)).events).toEqual([])
    const { status, text, body } = await world.get('/events?type=voucher.eaten')
    expect([status, body]).toMatchObject([400, { error: { code: 'FIELD_INVALID', param: 'type' } }])
    expect(text).toContain('voucher.redeemed')
  })

  test('publishes a redemption at another merchant to both merchants, and the sale only to the seller', async () => {
    const [readOurs, readTheirs] = [await follow(), await follow(world.theirs)]
    const { code = '' } = await post(`${SK}/vouchers`, { amount: 50, currency: 'USD' })
    const sale = { voucherCode: code, amount: 20, referenceId: 'their-sale', metaData: 'their own words' }
    await post('/merchant-integrations/redeem-voucher', sale, world.theirs)
    const [ours, theirs] = [(await readOurs(2)).slice(1), await readTheirs(1)]
    expect(ours).toMatchObject([{ type: 'voucher.redeemed', sequence: 2, data: { amount: '20.00' } }])
    expect(ours[0]?.data).not.toHaveProperty('reference')
    for (const field of ['transactionId', 'type', 'metadata', 'userId']) expect(ours[0]?.data).not.toHaveProperty(field)
    expect(theirs).toMatchObject([{ type: 'voucher.redeemed', sequence: 2, data: { reference: 'their-sale' } }])
    expect(theirs[0]?.id).not.toBe(ours[0]?.id)
  })

  test('continues after the last page: the cursor at the end finds the next event', async () => {
    await settleEvents(world.pool)
    const first = await page('?limit=1')
    expect(first).toMatchObject({ hasMore: true, events: [{ type: 'merchant.key_created', sequence: 1 }] })
    const second = await page(`?limit=1&cursor=${first.nextCursor}`)
    expect(second.events[0]?.id).not.toBe(first.events[0]?.id)
    const read = await follow()
    expect(await read(0)).toEqual([])
    await world.voucher(1)
    expect(await read(1)).toHaveLength(1)
    const { status } = await world.call('GET', '/events?cursor=nonsense')
    expect(status).toBe(400)
  })

  test('holds back events that an open transaction could precede, and skips none', async () => {
    const read = await follow()
    const about = { id: world.newId(), sequence: 1 }
    const event = { type: 'test.happened', environmentId: world.ours.environmentId, about, data: {} }
    const tools = { clock: () => now, newId: world.newId }
    const early = await connect(databaseUrl)
    await early.query('begin')
    await publishEvents(early as never, [{ ...event, data: { who: 'early' } }], tools)
    await inTransaction(world.pool, (tx) => publishEvents(tx, [{ ...event, data: { who: 'late' } }], tools))
    // Committed but not visible: its reader would pass the position of the open transaction.
    expect(await read(0)).toEqual([])
    await early.query('commit')
    await early.end()
    expect((await read(2)).map(({ data }) => data.who)).toEqual(['early', 'late'])
  })

  test('deletes events after 30 days', async () => {
    await world.work()
    expect((await page()).events.length).toBeGreaterThan(0)
    now = new Date(now.getTime() + 29 * dayMs)
    await world.work()
    expect((await page()).events.length).toBeGreaterThan(0)
    await world.voucher(1)
    now = new Date(now.getTime() + 2 * dayMs)
    await world.work()
    await settleEvents(world.pool)
    expect((await page()).events.map(({ type }) => type)).toEqual(['voucher.issued'])
  })

  test('continues after a restore into a PostgreSQL that numbers its transactions from the start', async () => {
    await owner.query(`update ledger_outbox set txid = (txid::text::bigint + 1000000)::text::xid8`)
    await owner.query(`update webhook_position set txid = '1000000'`)
    await owner.query('select restart_events()')
    const before = (await page()).events.length
    await world.voucher(1)
    await settleEvents(world.pool)
    expect((await page()).events).toHaveLength(before + 1)
  })

  test('documents every published event type in the OpenAPI document', async () => {
    const { text } = await world.call('GET', '/docs/openapi.json', { keys: 'none' })
    const { webhooks } = JSON.parse(text) as { webhooks: Record<string, object> }
    expect(webhooks).toHaveProperty(['voucher.redeemed', 'post', 'requestBody'])
    const { rows } = await owner.query<{ type: string }>('select distinct type from ledger_outbox')
    expect(rows.map(({ type }) => type).filter((type) => !type.startsWith('test.') && !(type in webhooks))).toEqual([])
  })
})
