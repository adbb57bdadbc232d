import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { createPool, type Pool } from '../../base/db.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

type Received = { path: string; headers: Record<string, string>; body: string }
type Endpoint = { id: string; url: string; status: string; disabledReason: string; failingSince: string }
type Delivery = { eventId: string; eventType: string; status: string; attempts: number; nextAttemptAt: string }
/** All fields that a response may have. */
type Data = {
  id: string
  endpoint: Endpoint
  secret: string
  deliveries: Delivery[]
  attempts: Attempt[]
  events: unknown[]
  eventId: string
  replayed: number
}
type Attempt = { number: number; at: string; durationMs: number; statusCode: number; failure: string; excerpt: string }

let world: ApiWorld
let owner: Pool
// Use the real time, because verifying a signature compares with it.
const start = new Date()
let now = start
let receiver: Server
let origin: string
let received: Received[] = []
/** The receiver's responses, by path. */
let responses: Record<
  string,
  { status: number; headers?: Record<string, string>; body?: string; until?: Promise<void> }
> = {}

beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url, () => now)
  owner = createPool(ownerUrl, 2)
  receiver = createServer((request, reply) => {
    void readBody(request).then(async (body) => {
      const path = request.url ?? ''
      received.push({ path, headers: request.headers as Record<string, string>, body })
      const { status, headers, body: said, until } = responses[path] ?? { status: 204 }
      await until
      reply.writeHead(status, headers).end(said)
    })
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
})
afterAll(async () => {
  receiver.closeAllConnections()
  await new Promise((done) => receiver.close(done))
  await owner.end()
  await world.close()
})
beforeEach(() => {
  now = new Date()
  received = []
  responses = {}
})
afterEach(async () => {
  const { data } = await listEndpoints()
  for (const { id } of data) await call('DELETE', `/webhook-endpoints/${id}`)
})

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown, as?: WorldMerchant) =>
  world.call<Data>(method, path, { ...(body !== undefined && { body }), ...(as && { as }) })
const listEndpoints = () => world.get<Endpoint[]>('/webhook-endpoints')
const makeEndpoint = async (path: string, more: object = {}, as?: WorldMerchant) =>
  (await call('POST', '/webhook-endpoints', { url: origin + path, ...more }, as)).data
const makeVoucher = (as?: WorldMerchant) => world.issueVoucher(1, {}, as)
/** Delivers like a worker, until every committed event has been sent. */
async function work(): Promise<void> {
  const waiting = `select from ledger_outbox o, webhook_position p where (o.txid, o.id) > (p.txid, p.number) limit 1`
  for (;;) {
    await world.work()
    if ((await owner.query(waiting)).rowCount === 0) return
    await sleep(20)
  }
}
const deliveriesOf = async ({ id }: Endpoint, query = '') =>
  (await call('GET', `/webhook-endpoints/${id}/deliveries${query}`)).data.deliveries
const attemptsOf = async ({ id }: Endpoint, { eventId }: { eventId: string }) =>
  (await call('GET', `/webhook-endpoints/${id}/deliveries/${eventId}`)).data.attempts

test('an endpoint is read by its id, by its own merchant', async () => {
  const { endpoint } = await makeEndpoint('/one')
  expect(await call('GET', `/webhook-endpoints/${endpoint.id}`)).toMatchObject({ status: 200, data: endpoint })
  expect((await call('GET', `/webhook-endpoints/${endpoint.id}`, undefined, world.theirs)).status).toBe(404)
  expect((await listEndpoints()).body).toMatchObject({ data: [endpoint], nextCursor: '', hasMore: false })
})

describe('a delivery', () => {
  test('contains the event of GET /events, with a signature that the Standard Webhooks library verifies', async () => {
    const { secret } = await makeEndpoint('/hooks')
    await makeVoucher()
    await work()
    expect(received).toHaveLength(1)
    const [{ headers, body }] = received as [Received]
    const verified = new Webhook(secret).verify(body, headers) as { id: string; type: string; timestamp: string }
    expect(verified).toMatchObject({ type: 'voucher.issued', mode: 'test', sequence: 1, data: { amount: '1.00' } })
    expect(headers['webhook-id']).toBe(verified.id)
    const { data } = await call('GET', '/events')
    expect(data.events).toContainEqual(verified)
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow()
    expect(world.logged()).not.toContain(secret)
  })

  test('goes only to endpoints of the same merchant that subscribe to its type and existed before it', async () => {
    await makeVoucher()
    await makeEndpoint('/all')
    await makeEndpoint('/vouchers', { eventTypes: ['voucher.*'] })
    await makeEndpoint('/issued', { eventTypes: ['voucher.issued', 'refund.completed'] })
    await makeEndpoint('/refunds', { eventTypes: ['refund.*'] })
    await makeVoucher()
    await makeVoucher(world.theirs)
    await work()
    expect(received.map(({ path }) => path).sort()).toEqual(['/all', '/issued', '/vouchers'])
  })

  test('is signed with the old and the new secret for a day after a rotation', async () => {
    const { endpoint, secret: old } = await makeEndpoint('/hooks')
    const { data } = await call('POST', `/webhook-endpoints/${endpoint.id}/rotate-secret`, {})
    await makeVoucher()
    await work()
    const [{ headers, body }] = received as [Received]
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2)
    for (const secret of [old, data.secret]) new Webhook(secret).verify(body, headers)
    now = new Date(now.getTime() + dayMs + 1)
    await call('POST', `/webhook-endpoints/${endpoint.id}/test`, {})
    await work()
    const last = received.at(-1)
    expect(last?.headers['webhook-signature']?.split(' ')).toHaveLength(1)
    expect(() => new Webhook(old).verify(last?.body ?? '', last?.headers ?? {})).toThrow()
  })

  test('does not follow redirects', async () => {
    responses['/hooks'] = { status: 307, headers: { location: `${origin}/elsewhere` } }
    const { endpoint } = await makeEndpoint('/hooks')
    await makeVoucher()
    await work()
    expect(received.map(({ path }) => path)).toEqual(['/hooks'])
    expect(await deliveriesOf(endpoint)).toMatchObject([{ status: 'pending', attempts: 1 }])
  })
})

describe('a failed delivery', () => {
  test('is retried up to ten attempts over three days, on schedule within 20 %, then fails', async () => {
    responses['/hooks'] = { status: 503, body: `closed\0 for today ${'.'.repeat(3_000)}` }
    const { endpoint } = await makeEndpoint('/hooks')
    await makeVoucher()
    await work()
    const first = now
    const waits = [
      5_000,
      5 * minuteMs,
      30 * minuteMs,
      2 * hourMs,
      5 * hourMs,
      10 * hourMs,
      14 * hourMs,
      20 * hourMs,
      24 * hourMs,
    ]
    for (const [i, wait] of waits.entries()) {
      const [delivery] = (await deliveriesOf(endpoint)) as [Delivery]
      const due = new Date(delivery.nextAttemptAt)
      expect(delivery).toMatchObject({ status: 'pending', attempts: i + 1 })
      const share = (due.getTime() - now.getTime()) / wait
      expect(share).toBeGreaterThanOrEqual(0.8)
      expect(share).toBeLessThanOrEqual(1.2)
      now = new Date(due.getTime() - 1)
      await work()
      expect(received).toHaveLength(i + 1)
      now = due
      await work()
      expect(received).toHaveLength(i + 2)
    }
    expect(now.getTime() - first.getTime()).toBeGreaterThan(2.5 * dayMs)
    const [delivery] = (await deliveriesOf(endpoint)) as [Delivery]
    expect(delivery).toMatchObject({ status: 'failed', attempts: 10, nextAttemptAt: '' })
    const attempts = await attemptsOf(endpoint, delivery)
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(attempts[0]).toMatchObject({ statusCode: 503, failure: '' })
    expect(attempts[0]?.excerpt).toMatch(/^closed for today \.+$/)
    expect(attempts[0]?.excerpt.length).toBeLessThanOrEqual(1_000)
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    now = new Date(now.getTime() + 10 * dayMs)
    await work()
    expect(received).toHaveLength(10)
  })

  test('is retried with varying jitter', async () => {
    responses['/hooks'] = { status: 500 }
    const { endpoint } = await makeEndpoint('/hooks')
    for (let i = 0; i < 10; i++) await makeVoucher()
    await work()
    const due = (await deliveriesOf(endpoint)).map(({ nextAttemptAt }) => nextAttemptAt)
    expect(new Set(due).size).toBeGreaterThan(5)
  })

  test('can be replayed, one by one or all that failed since a time', async () => {
    responses['/hooks'] = { status: 500 }
    const { endpoint } = await makeEndpoint('/hooks')
    await makeVoucher()
    await makeVoucher()
    await work()
    for (let i = 0; i < 9; i++) {
      now = new Date(now.getTime() + 1.2 * dayMs)
      await work()
      // Keep it from being disabled after five days.
      await call('POST', `/webhook-endpoints/${endpoint.id}`, { isEnabled: true })
    }
    expect((await deliveriesOf(endpoint, '?status=failed')).map(({ attempts }) => attempts)).toEqual([10, 10])
    responses = {}
    const [one, other] = (await deliveriesOf(endpoint)) as [Delivery, Delivery]
    await call('POST', `/webhook-endpoints/${endpoint.id}/deliveries/${one.eventId}/replay`, {})
    await work()
    expect(await deliveriesOf(endpoint)).toMatchObject([
      { status: 'delivered', attempts: 11 },
      { status: 'failed', attempts: 10 },
    ])
    const replay = (since: Date) =>
      call('POST', `/webhook-endpoints/${endpoint.id}/replay-failed`, {
        since: since.toISOString(),
      })
    expect((await replay(now)).data.replayed).toBe(0)
    expect((await replay(start)).data.replayed).toBe(1)
    await work()
    expect(received.at(-1)?.headers['webhook-id']).toBe(other.eventId)
    expect(await deliveriesOf(endpoint, '?status=failed')).toEqual([])
  })

  test('leads to a disabled endpoint and an event after five days without a success', async () => {
    responses['/sick'] = { status: 500 }
    const { endpoint } = await makeEndpoint('/sick', { eventTypes: ['voucher.*'] })
    await makeEndpoint('/well', { eventTypes: ['merchant.*'] })
    for (let day = 0; day <= 5; day++) {
      await makeVoucher()
      await work()
      const { data } = await listEndpoints()
      expect(data[0]?.status).toBe(day < 5 ? 'enabled' : 'disabled')
      now = new Date(now.getTime() + dayMs)
    }
    await work()
    const events = received.filter(({ path }) => path === '/well').map(({ body }) => JSON.parse(body) as object)
    expect(events).toMatchObject([
      { type: 'merchant.webhook_disabled', data: { endpointId: endpoint.id, url: endpoint.url } },
    ])
    const before = received.length
    await makeVoucher()
    await work()
    expect(received).toHaveLength(before)
    responses = {}
    const again = await call('POST', `/webhook-endpoints/${endpoint.id}`, { isEnabled: true })
    expect(again.data).toMatchObject({ status: 'enabled', disabledReason: '', failingSince: '' })
    now = new Date(now.getTime() + 2 * dayMs)
    await work()
    expect(await deliveriesOf(endpoint, '?status=pending')).toEqual([])
  })

  test('does not disable the endpoint if a success is in between', async () => {
    const { endpoint } = await makeEndpoint('/moody')
    for (let day = 0; day < 8; day++) {
      responses['/moody'] = { status: day === 3 ? 200 : 500 }
      await makeVoucher()
      await work()
      now = new Date(now.getTime() + dayMs)
    }
    const { data } = await listEndpoints()
    expect(data).toMatchObject([{ id: endpoint.id, status: 'enabled' }])
  })

  test('with status 410 disables the endpoint at once', async () => {
    responses['/gone'] = { status: 410 }
    await makeEndpoint('/gone')
    await makeVoucher()
    await work()
    const { data } = await listEndpoints()
    expect(data).toMatchObject([{ status: 'disabled', disabledReason: 'gone' }])
  })

  test('records why there was no response', async () => {
    const { endpoint } = await makeEndpoint('/hooks')
    await call('POST', `/webhook-endpoints/${endpoint.id}`, { url: 'http://127.0.0.1:1/' })
    await makeVoucher()
    await work()
    const [delivery] = (await deliveriesOf(endpoint)) as [Delivery]
    expect(await attemptsOf(endpoint, delivery)).toMatchObject([
      { statusCode: 0, failure: 'the connection was refused' },
    ])
  })
})

describe('while an attempt runs', () => {
  /** Delays the receiver's response at a path until it is released. */
  function hold(path: string, status: number): () => void {
    let letGo = (): void => undefined
    const free = new Promise<void>((resolve) => (letGo = resolve))
    responses[path] = { status, until: free }
    return () => letGo()
  }
  const isRequested = async (path: string) => {
    while (!received.some((one) => one.path === path)) await sleep(10)
  }

  test('a deleted or moved endpoint is not disabled because of its old address', async () => {
    const { endpoint: deleted } = await makeEndpoint('/deleted')
    const { endpoint: moved } = await makeEndpoint('/old')
    const [first, second] = [hold('/deleted', 410), hold('/old', 410)]
    await makeVoucher()
    const working = work()
    await Promise.all([isRequested('/deleted'), isRequested('/old')])
    await call('DELETE', `/webhook-endpoints/${deleted.id}`)
    await call('POST', `/webhook-endpoints/${moved.id}`, { url: `${origin}/new` })
    first()
    second()
    await working
    expect((await listEndpoints()).data).toMatchObject([{ id: moved.id, status: 'enabled', url: `${origin}/new` }])
  })

  test('a replay requested meanwhile is sent', async () => {
    responses['/hooks'] = { status: 500 }
    const { endpoint } = await makeEndpoint('/hooks')
    await makeVoucher()
    await work()
    const [{ eventId }] = (await deliveriesOf(endpoint)) as [Delivery]
    received = []
    const letGo = hold('/hooks', 500)
    now = new Date(now.getTime() + minuteMs)
    const working = work()
    await isRequested('/hooks')
    await call('POST', `/webhook-endpoints/${endpoint.id}/deliveries/${eventId}/replay`, {})
    responses = {}
    letGo()
    await working
    await work()
    expect(await deliveriesOf(endpoint)).toMatchObject([{ status: 'delivered', attempts: 3 }])
  })
})

describe('an endpoint', () => {
  test('is found by its id in capitals, and signs with its new secret', async () => {
    const { endpoint } = await makeEndpoint('/hooks')
    const path = `/webhook-endpoints/${endpoint.id.toUpperCase()}`
    const { data } = await call('POST', `${path}/rotate-secret`, {})
    await call('POST', `${path}/test`, {})
    await work()
    const [{ headers, body }] = received as [Received]
    expect(new Webhook(data.secret).verify(body, headers)).toMatchObject({ data: { endpointId: endpoint.id } })
  })

  test('gets a test event whatever its event types', async () => {
    const { endpoint } = await makeEndpoint('/tested', { eventTypes: ['refund.*'] })
    await makeEndpoint('/other')
    const { data } = await call('POST', `/webhook-endpoints/${endpoint.id}/test`, {})
    await work()
    expect(received.map(({ path, headers }) => [path, headers['webhook-id']])).toEqual([['/tested', data.eventId]])
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      type: 'merchant.webhook_test',
      data: { endpointId: endpoint.id },
    })
  })

  test('422: private addresses, URLs with a password, and http in live mode', async () => {
    const make = (url: string) => call('POST', '/webhook-endpoints', { url })
    for (const url of ['http://10.0.0.1/', 'http://[::1]/', 'http://2130706434/', 'http://169.254.169.254/latest'])
      expect((await make(url)).error?.code, url).toBe('WEBHOOK_TARGET_PRIVATE')
    for (const url of ['ftp://shop.example/', 'https://user:word@shop.example/', 'nonsense'])
      expect((await make(url)).error?.code, url).toBe('WEBHOOK_URL_INVALID')
    const { livePublicKey, liveSecretKey } = world.ours
    const live = { ...world.ours, publicKey: livePublicKey, secretKey: liveSecretKey }
    const reply = await call('POST', '/webhook-endpoints', { url: 'http://shop.example/' }, live)
    expect(reply).toMatchObject({ status: 422, error: { code: 'WEBHOOK_URL_INVALID' } })
  })

  test('422: unknown event types', async () => {
    const reply = await call('POST', '/webhook-endpoints', {
      url: `${origin}/`,
      eventTypes: ['voucher.*', 'voucher.eaten'],
    })
    expect(reply).toMatchObject({ status: 422, error: { code: 'WEBHOOK_TYPE_UNKNOWN' } })
  })

  test('404: every action on another merchant’s endpoint', async () => {
    const { endpoint } = await makeEndpoint('/ours')
    const acts = ['', '/rotate-secret', '/test', '/replay-failed', `/deliveries/${endpoint.id}/replay`]
    for (const act of acts) {
      const body = act === '/replay-failed' ? { since: start.toISOString() } : {}
      const reply = await call('POST', `/webhook-endpoints/${endpoint.id}${act}`, body, world.theirs)
      expect(reply.error?.code, act).toBe('WEBHOOK_ENDPOINT_UNKNOWN')
    }
    const list = await call('GET', `/webhook-endpoints/${endpoint.id}/deliveries`, undefined, world.theirs)
    expect(list.status).toBe(404)
    expect((await call('DELETE', `/webhook-endpoints/${endpoint.id}`, undefined, world.theirs)).status).toBe(404)
  })

  test('has its secret encrypted in the database', async () => {
    const { secret } = await makeEndpoint('/hooks')
    const { rows } = await owner.query<{ line: string }>('select w::text as line from webhook_endpoints w')
    const bytes = Buffer.from(secret.slice(6), 'base64').toString('hex')
    for (const { line } of rows) for (const form of [secret, bytes]) expect(line).not.toContain(form)
  })

  test('receives nothing once deleted or disabled', async () => {
    const { endpoint } = await makeEndpoint('/deleted')
    const { endpoint: off } = await makeEndpoint('/off')
    await call('DELETE', `/webhook-endpoints/${endpoint.id}`)
    await call('POST', `/webhook-endpoints/${off.id}`, { isEnabled: false })
    await makeVoucher()
    await work()
    expect(received).toEqual([])
    expect((await call('POST', `/webhook-endpoints/${off.id}/test`, {})).error?.code).toBe('WEBHOOK_ENDPOINT_DISABLED')
  })
})
