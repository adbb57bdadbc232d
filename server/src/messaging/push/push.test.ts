import { createDecipheriv, createECDH, createPublicKey, hkdfSync, verify } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addPerson } from '../../../local/test/visitor.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { createLog } from '../../base/log.ts'
import { systemRandom } from '../../base/random.ts'
import { createGuardedAgent } from '../event/guarded-agent.ts'
import { readConfig } from '../../config.ts'
import { createSendPushes } from './send-pushes.ts'
import { deriveVapid } from './vapid.ts'

type Received = { path: string; headers: IncomingHttpHeaders; body: Buffer }
type Person = Awaited<ReturnType<typeof addPerson>>

let world: ApiWorld
let owner: Pool
let now = Date.now()
let received: Received[] = []
/** The status that the push service returns for a path, if not 201. */
const statuses = new Map<string, number>()
const service = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) })
    response.writeHead(statuses.get(request.url ?? '') ?? 201).end()
  })
})
let origin: string

beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url, () => new Date(now))
  owner = createPool(ownerUrl)
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
})
afterAll(async () => {
  service.close()
  await owner.end()
  await world.close()
})
beforeEach(() => {
  received = []
})

const b64 = (bytes: Buffer): string => bytes.toString('base64url')

/** What a browser creates when its page subscribes. */
function createBrowser() {
  const pair = createECDH('prime256v1')
  const [point, auth] = [pair.generateKeys(), systemRandom(16)]
  const path = `/push/${b64(systemRandom(12))}`
  return {
    path,
    subscription: { endpoint: origin + path, keys: { p256dh: b64(point), auth: b64(auth) } },
    /** Decrypts as the receiver of RFC 8291. */
    decrypt: (body: Buffer): unknown => {
      const salt = body.subarray(0, 16)
      const sender = body.subarray(21, 21 + body.readUInt8(20))
      const sealed = body.subarray(21 + sender.length)
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), point, sender])
      const secret = Buffer.from(hkdfSync('sha256', pair.computeSecret(sender), auth, info, 32))
      const derive = (use: string, length: number) =>
        Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${use}\0`, length))
      const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
      decipher.setAuthTag(sealed.subarray(-16))
      const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
      return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString())
    },
  }
}
const subscribe = (person: Person, body: unknown) => person.post('/wallet/push-subscriptions', body)
async function addSubscribed() {
  const [person, browser] = [await addPerson(world, 'test', { hasPin: false }), createBrowser()]
  expect((await subscribe(person, browser.subscription)).status).toBe(200)
  return { person, browser }
}
async function requestPayment({ person }: Person, amount = 12.5): Promise<string> {
  const reference = world.newId()
  const body = { amount, currency: 'USD', user_identifier: person.email, reference_id: reference }
  expect((await world.call('POST', '/merchant-integrations/payment-request', { body })).status).toBe(200)
  return reference
}
const withdraw = (reference: string) =>
  world.call('POST', `/merchant-integrations-server/payment-requests/${reference}/cancel`, { body: {} })
const pathsOf = (): string[] => received.map(({ path }) => path).sort()
const waiting = async (): Promise<number> => (await owner.query('select from pushes')).rowCount ?? 0
const subscribedOf = async ({ person }: Person): Promise<number> =>
  (await owner.query('select from push_subscriptions where user_id = $1', [person.id])).rowCount ?? 0

/** A worker in addition to those of the world. */
function createWorker(networks = '127.0.0.1/32') {
  const config = readConfig({
    DATABASE_URL: 'postgres://localhost/none',
    KEY_PEPPER: world.pepper,
    KEY_RING: world.keyRing,
    WEBHOOK_NETWORKS: networks,
  })
  const agent = createGuardedAgent(config.webhookNetworks)
  const vapid = deriveVapid(config.keyRing, 'https://pay.example')
  return createSendPushes({ pool: world.pool, clock: () => new Date(now), agent, vapid, log: createLog('silent') })
}

test('a payment request reaches the browser, encrypted for it and signed with the published key', async () => {
  const { person, browser } = await addSubscribed()
  const { key } = (await person.get('/wallet/push-key')).json().data as { key: string }
  await requestPayment(person)
  now += 60_000
  await world.work()
  const [push] = received
  if (push === undefined) throw new Error('No push was sent.')
  const { requests } = (await person.get('/wallet/payment-requests')).json().data as { requests: { id: string }[] }
  const id = requests[0]?.id ?? ''
  expect(browser.decrypt(push.body)).toEqual({
    kind: 'payment_request',
    id,
    merchant: 'OURS',
    amount: '12.50',
    currency: 'USD',
  })
  expect(push.headers).toMatchObject({
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    urgency: 'high',
    topic: id.replaceAll('-', ''),
    // One of the fifteen minutes is over.
    ttl: '840',
  })
  const [, token = '', signingKey] = /^vapid t=([^,]+), ?k=(.+)$/.exec(push.headers.authorization ?? '') ?? []
  expect(signingKey).toBe(key)
  const [head = '', claims = '', signature = ''] = token.split('.')
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
  expect([aud, sub]).toEqual([origin, 'https://pay.example'])
  expect(Number(exp)).toBeGreaterThan(Date.now() / 1_000)
  expect(Number(exp)).toBeLessThan(Date.now() / 1_000 + 24 * 60 * 60)
  const point = Buffer.from(key, 'base64url')
  expect([point.length, point[0]]).toEqual([65, 4])
  const [x, y] = [b64(point.subarray(1, 33)), b64(point.subarray(33))]
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  const ieee = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  expect(verify('sha256', signed, ieee, Buffer.from(signature, 'base64url'))).toBe(true)
  // Sent once, and nothing is left in the queue.
  now += 60_000
  await world.work()
  expect([received.length, await waiting()]).toEqual([1, 0])
})

test('404 and 410 remove the subscription; other failures are retried until the request expires', async () => {
  const people = [await addSubscribed(), await addSubscribed(), await addSubscribed()] as const
  const [gone, unknown, busy] = people
  statuses.set(gone.browser.path, 410).set(unknown.browser.path, 404).set(busy.browser.path, 503)
  for (const { person } of people) await requestPayment(person)
  await world.work()
  expect(await Promise.all(people.map(({ person }) => subscribedOf(person)))).toEqual([0, 0, 1])
  expect(await waiting()).toBe(1)
  await world.work()
  expect(received).toHaveLength(3)
  for (const seconds of [20, 60, 180, 540]) {
    now += seconds * 1_000
    await world.work()
  }
  expect(received).toHaveLength(7)
  now += 3_600_000
  await world.work()
  expect([received.length, await waiting()]).toEqual([7, 0])
  const logged = world.logged()
  const { endpoint, keys } = busy.browser.subscription
  expect(logged).toContain('push service refused a push')
  for (const secret of [endpoint, busy.browser.path, keys.p256dh, keys.auth]) expect(logged).not.toContain(secret)
})

test('a request that has ended is not pushed', async () => {
  const { person } = await addSubscribed()
  await withdraw(await requestPayment(person))
  await world.work()
  expect([received.length, await waiting()]).toEqual([0, 0])
})

test('concurrent workers send each push once', async () => {
  const { person, browser } = await addSubscribed()
  const others = [createBrowser(), createBrowser(), createBrowser()]
  for (const { subscription } of others) await subscribe(person, subscription)
  for (let i = 0; i < 3; i++) await requestPayment(person)
  const workers = [createWorker(), createWorker()]
  await Promise.all(workers.map(({ run }) => run()))
  await Promise.all(workers.map(({ stop }) => stop()))
  expect(pathsOf()).toEqual([browser, ...others].flatMap(({ path }) => [path, path, path]).sort())
  expect(await waiting()).toBe(0)
})

test('never connects to a private address, even one stored in the table', async () => {
  const { person } = await addSubscribed()
  await requestPayment(person)
  const worker = createWorker('10.9.9.9/32')
  await worker.run()
  await worker.stop()
  expect([received.length, await waiting()]).toEqual([0, 1])
  now += 3_600_000
  await world.work()
})

test('422: invalid push endpoints and keys', async () => {
  const person = await addPerson(world, 'test', { hasPin: false })
  const { subscription } = createBrowser()
  const codeFor = async (more: object) =>
    (await subscribe(person, { ...subscription, ...more })).json().error?.code ?? 'taken'
  for (const endpoint of ['https://10.0.0.1/x', 'https://[::1]/x', 'https://127.0.0.2/x', 'https://2130706434/x'])
    expect(await codeFor({ endpoint })).toBe('PUSH_ENDPOINT_PRIVATE')
  for (const endpoint of ['http://93.184.216.34/x', 'http://push.example/x', 'https://a:b@push.example/x'])
    expect(await codeFor({ endpoint })).toBe('PUSH_ENDPOINT_INVALID')
  const p256dh = b64(Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]))
  expect(await codeFor({ keys: { ...subscription.keys, p256dh } })).toBe('PUSH_KEYS_INVALID')
  expect(await subscribedOf(person)).toBe(0)
  expect(await codeFor({ endpoint: 'https://push.example/x' })).toBe('taken')
})

test('a user has at most ten browsers, another user can take over a browser, and any can be removed', async () => {
  const { person: ada, browser } = await addSubscribed()
  for (let i = 0; i < 10; i++) await subscribe(ada, createBrowser().subscription)
  expect(await subscribedOf(ada)).toBe(10)
  const last = createBrowser()
  await subscribe(ada, last.subscription)
  await subscribe(ada, last.subscription)
  expect(await subscribedOf(ada)).toBe(10)
  await requestPayment(ada)
  const ben = await addPerson(world, 'test', { hasPin: false })
  await subscribe(ben, last.subscription)
  expect([await subscribedOf(ada), await subscribedOf(ben)]).toEqual([9, 1])
  await world.work()
  expect(received).toHaveLength(9)
  expect(pathsOf()).not.toContain(browser.path)
  expect(pathsOf()).not.toContain(last.path)
  const remove = (who: Person) =>
    who.post('/wallet/push-subscriptions/remove', { endpoint: last.subscription.endpoint })
  await remove(ada)
  expect(await subscribedOf(ben)).toBe(1)
  expect((await remove(ben)).status).toBe(200)
  expect(await subscribedOf(ben)).toBe(0)
})

test('the key is the same as long as the ring starts with the same secret', () => {
  const ring = [{ id: 1, secret: Buffer.alloc(32, 7) }]
  const { publicKey } = deriveVapid(ring, 'http://localhost:8080')
  expect(deriveVapid([...ring, { id: 2, secret: Buffer.alloc(32, 8) }], '').publicKey).toBe(publicKey)
  expect(deriveVapid([{ id: 2, secret: Buffer.alloc(32, 8) }, ...ring], '').publicKey).not.toBe(publicKey)
})
