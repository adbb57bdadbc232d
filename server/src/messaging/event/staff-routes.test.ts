import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { settleEvents } from '../../../local/test/settle-events.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember } from '../../../local/test/visitor.ts'
import { createPool, type Pool } from '../../base/db.ts'
import type { WireEventDetail, WireHealths, WireListedEvents } from './wire.ts'

let world: ApiWorld
let owner: Pool
let developer: Awaited<ReturnType<typeof addMember>>
let receiver: Server
let url = ''
let status = 204
beforeAll(async () => {
  const database = await createTestDatabase()
  world = await createApiWorld(database.url)
  owner = createPool(database.ownerUrl, 1)
  developer = await addMember(world, world.ours, 'developer')
  receiver = createServer((_, reply) => void reply.writeHead(status).end())
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
})
afterAll(async () => {
  receiver.closeAllConnections()
  await new Promise((done) => receiver.close(done))
  await owner.end()
  await world.close()
})

const deliver = async (): Promise<void> => {
  await settleEvents(owner)
  await world.work()
}
const read = async <Data>(path: string): Promise<Data> => (await developer.get(path)).json().data as Data
const listAll = async (query = ''): Promise<WireListedEvents['events']> => {
  const events: WireListedEvents['events'] = []
  let cursor = ''
  do {
    const page = await read<WireListedEvents>(`/merchant/events?limit=2${query}${cursor}`)
    events.push(...page.events)
    cursor = page.nextCursor === '' ? '' : `&cursor=${page.nextCursor}`
  } while (cursor !== '')
  return events
}

test('events are listed newest first, in pages, by type, and those of other merchants are not', async () => {
  for (let i = 0; i < 3; i++) await world.voucher(10)
  await world.voucher(10, {}, world.theirs)
  const voucherCode = await world.voucher(10)
  await world.redeem({ voucherCode, amount: 1 })
  await settleEvents(owner)
  const { data } = await world.get<{ events: { id: string }[] }>('/events?limit=100')
  const events = await listAll()
  expect(events.map(({ id }) => id)).toEqual(data.events.map(({ id }) => id).toReversed())
  expect(events[0]?.type).toBe('voucher.redeemed')
  const issued = await listAll('&type=voucher.issued')
  expect(issued.map(({ type }) => type)).toEqual(Array.from({ length: 4 }, () => 'voucher.issued'))
  expect((await listAll('&type=refund.*')).length).toBe(0)
  expect((await developer.get('/merchant/events?cursor=wrong')).json().error?.code).toBe('CURSOR_UNKNOWN')
})

test('an event has its payload, and its deliveries to each endpoint', async () => {
  await world.post('/webhook-endpoints', { url })
  await world.voucher(10)
  await deliver()
  const [newest] = await listAll('&type=voucher.issued')
  const one = await read<WireEventDetail>(`/merchant/events/${newest?.position}`)
  expect(one).toMatchObject({
    event: newest,
    data: { amount: '10.00' },
    deliveries: [{ url, status: 'delivered', attempts: 1 }],
  })
  const stranger = await addMember(world, world.theirs, 'developer')
  expect((await stranger.get(`/merchant/events/${newest?.position}`)).json().error?.code).toBe('EVENT_UNKNOWN')
})

test('the health of an endpoint counts its attempts by hour, and says why the last one failed', async () => {
  status = 503
  await world.voucher(10)
  await deliver()
  const { endpoints } = await read<WireHealths>('/merchant/webhook-health')
  expect(endpoints).toHaveLength(1)
  const [health] = endpoints
  expect(health).toMatchObject({ attempts: 2, delivered: 1, lastFailure: '503', failed: 0, retrying: 1 })
  expect(health?.nextAttemptAt).not.toBe('')
  expect(health?.hours).toHaveLength(24)
  const sum = (pick: 'attempts' | 'delivered'): number =>
    (health?.hours ?? []).reduce((all, hour) => all + hour[pick], 0)
  expect([sum('attempts'), sum('delivered')]).toEqual([2, 1])
})
