import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../local/api-world.ts'
import { createTestDatabase } from '../../local/test-database.ts'
import { connect, inTransaction, type Pool, createPool } from '../base/db.ts'
import { tell } from '../ledger/store.ts'

const SK = '/merchant-integrations-server'
const dayMs = 24 * 60 * 60 * 1_000
type Told = { id: string; type: string; objectId: string; sequence: number; mode: string; data: Record<string, string> }
type Page = { events: Told[]; nextCursor: string; hasMore: boolean }

let world: ApiWorld
let owner: Pool
let databaseUrl: string
let now = new Date('2026-03-01T12:00:00Z')
beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  databaseUrl = url
  world = await createApiWorld(url, () => now)
  owner = createPool(ownerUrl, 2)
  // So that a redemption moves its voucher twice, and is still one thing that happened to it.
  await world.charge()
  await post('/sandbox/fund', { amount: 10_000, currency: 'USD' })
  await post('/sandbox/fund', { amount: 10_000, currency: 'USD' }, world.theirs)
})
afterAll(async () => {
  await owner.end()
  await world.close()
})

async function post(path: string, body: object, as: WorldMerchant = world.ours) {
  const { text } = await world.call('POST', path, { body, as })
  return (JSON.parse(text) as { data: Record<string, string> }).data
}
async function page(query = '', as: WorldMerchant = world.ours): Promise<Page> {
  const { text } = await world.call('GET', `/events${query}`, { as })
  return (JSON.parse(text) as { data: Page }).data
}
/** What is told from now on: waits until so many are, since a transaction of another test may still hold them back. */
async function follow(as: WorldMerchant = world.ours) {
  let cursor = ''
  const readOn = async (): Promise<Told[]> => {
    const { events, nextCursor, hasMore } = await page(cursor === '' ? '' : `?cursor=${cursor}`, as)
    cursor = nextCursor
    return hasMore ? [...events, ...(await readOn())] : events
  }
  await settle()
  await readOn()
  return async (count: number): Promise<Told[]> => {
    const found = await readOn()
    while (found.length < count) {
      await sleep(20)
      found.push(...(await readOn()))
    }
    return found
  }
}
/** Until everything that is committed is shown. */
async function settle(): Promise<void> {
  const open = `select from ledger_outbox where txid >= pg_snapshot_xmin(pg_current_snapshot()) limit 1`
  while (((await owner.query(open)).rowCount ?? 0) > 0) await sleep(20)
}

describe('GET /events', () => {
  test('tells the whole life of a voucher in order, each event with the next number', async () => {
    const read = await follow()
    const { id = '', code = '' } = await post(`${SK}/vouchers`, { amount: 50, currency: 'USD', referenceId: 'gift-1' })
    await post('/merchant-integrations/redeem-voucher', { voucherCode: code, amount: 20, referenceId: 'sale-1' })
    await post(`${SK}/refund`, { referenceId: 'sale-1', amount: 5, refundReferenceId: 'back-1' })
    await post(`${SK}/vouchers/${id}/block`, {})
    await post(`${SK}/vouchers/${id}/unblock`, {})
    const { id: heir = '' } = await post(`${SK}/vouchers/${id}/replace`, {})
    const told = await read(8)
    const of = (objectId: string) => told.filter((event) => event.objectId === objectId)
    expect(of(id).map(({ type, sequence }) => `${sequence} ${type}`)).toEqual([
      '1 voucher.issued',
      '2 voucher.redeemed',
      '3 voucher.refunded',
      '4 voucher.blocked',
      '5 voucher.unblocked',
      '6 voucher.replaced',
    ])
    expect(of(heir)).toMatchObject([{ type: 'voucher.issued', sequence: 1, data: { amount: '34.60', replaces: id } }])
    expect(told.filter(({ type }) => type === 'refund.completed')).toMatchObject([
      { sequence: 1, mode: 'test', data: { amount: '5.00', currency: 'USD', refundOf: 'sale-1', reference: 'back-1' } },
    ])
    expect(new Set(told.map((event) => event.id)).size).toBe(told.length)
  })

  test('tells a redemption elsewhere to both, and the sale only to who made it', async () => {
    const [readOurs, readTheirs] = [await follow(), await follow(world.theirs)]
    const { code = '' } = await post(`${SK}/vouchers`, { amount: 50, currency: 'USD' })
    const sale = { voucherCode: code, amount: 20, referenceId: 'their-sale' }
    await post('/merchant-integrations/redeem-voucher', sale, world.theirs)
    const [ours, theirs] = [(await readOurs(2)).slice(1), await readTheirs(1)]
    expect(ours).toMatchObject([{ type: 'voucher.redeemed', sequence: 2, data: { amount: '20.00' } }])
    expect(ours[0]?.data).not.toHaveProperty('reference')
    expect(ours[0]?.data).not.toHaveProperty('transactionId')
    expect(theirs).toMatchObject([{ type: 'voucher.redeemed', sequence: 2, data: { reference: 'their-sale' } }])
    expect(theirs[0]?.id).not.toBe(ours[0]?.id)
  })

  test('pages on for ever: a cursor at the end is where the next event will be', async () => {
    await settle()
    const first = await page('?limit=1')
    expect(first).toMatchObject({ hasMore: true, events: [{ type: 'merchant.key_created', sequence: 1 }] })
    const second = await page(`?limit=1&cursor=${first.nextCursor}`)
    expect(second.events[0]?.id).not.toBe(first.events[0]?.id)
    const read = await follow()
    expect(await read(0)).toEqual([])
    await post('/sandbox/vouchers', { amount: 1, currency: 'USD' })
    expect(await read(1)).toHaveLength(1)
    const { status } = await world.call('GET', '/events?cursor=nonsense')
    expect(status).toBe(400)
  })

  test('holds back what a transaction that is still open could precede, and skips nothing', async () => {
    const read = await follow()
    const about = { id: world.newId(), sequence: 1 }
    const event = { type: 'test.told', environmentId: world.ours.environmentId, about, data: {} }
    const tools = { clock: () => now, newId: world.newId }
    const early = await connect(databaseUrl)
    await early.query('begin')
    await tell(early as never, [{ ...event, data: { who: 'early' } }], tools)
    await inTransaction(world.pool, (tx) => tell(tx, [{ ...event, data: { who: 'late' } }], tools))
    // Committed, and not shown: its reader would pass the place of the one that is under way.
    expect(await read(0)).toEqual([])
    await early.query('commit')
    await early.end()
    expect((await read(2)).map(({ data }) => data.who)).toEqual(['early', 'late'])
  })

  test('keeps events for thirty days, and no longer', async () => {
    await world.work()
    expect((await page()).events.length).toBeGreaterThan(0)
    now = new Date(now.getTime() + 29 * dayMs)
    await world.work()
    expect((await page()).events.length).toBeGreaterThan(0)
    await post('/sandbox/vouchers', { amount: 1, currency: 'USD' })
    now = new Date(now.getTime() + 2 * dayMs)
    await world.work()
    await settle()
    expect((await page()).events.map(({ type }) => type)).toEqual(['voucher.issued'])
  })

  test('goes on after a restore into a PostgreSQL whose transactions are numbered anew', async () => {
    await owner.query(`update ledger_outbox set txid = (txid::text::bigint + 1000000)::text::xid8`)
    await owner.query(`update webhook_position set txid = '1000000'`)
    await owner.query('select restart_events()')
    const before = (await page()).events.length
    await post('/sandbox/vouchers', { amount: 1, currency: 'USD' })
    await settle()
    expect((await page()).events).toHaveLength(before + 1)
  })

  test('says in the OpenAPI document what each event carries, and every one that is told is in it', async () => {
    const { text } = await world.call('GET', '/docs/openapi.json', { keys: 'none' })
    const { webhooks } = JSON.parse(text) as { webhooks: Record<string, object> }
    expect(webhooks).toHaveProperty(['voucher.redeemed', 'post', 'requestBody'])
    const { rows } = await owner.query<{ type: string }>('select distinct type from ledger_outbox')
    expect(rows.map(({ type }) => type).filter((type) => !type.startsWith('test.') && !(type in webhooks))).toEqual([])
  })
})
