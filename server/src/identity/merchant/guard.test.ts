import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { createManualClock, systemClock } from '../../base/clock.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { createIds } from '../../base/id.ts'
import { createLog } from '../../base/log.ts'
import { systemRandom } from '../../base/random.ts'
import { callerOf } from '../../http/caller.ts'
import { answer } from '../../http/envelope.ts'
import { createMemoryLimits } from '../../http/limit.ts'
import { createServer, type Server } from '../../http/server.ts'
import { createAuthenticate } from './authenticate.ts'
import { createMerchant } from './create-merchant.ts'
import { registerGuard } from './guard.ts'
import { makeKey } from './key.ts'
import { createKey, type Environment, type KeyTools, listKeys, revokeKey, rotateKey } from './keys.ts'

const newId = createIds(systemClock, systemRandom)
const clock = createManualClock(new Date('2026-06-01T12:00:00Z'))
const hourMs = 3_600_000
let pool: Pool
let tools: KeyTools
let server: Server
let ours: Merchant
let theirs: Merchant
let logged = ''
type Keys = { publicKey: string; secretKey: string; publicId: string; secretId: string }
type Merchant = { merchantId: string; live: Environment & Keys; test: Environment & Keys }

beforeAll(async () => {
  const { url } = await createTestDatabase()
  pool = createPool(url)
  tools = { pool, clock, newId, random: systemRandom, pepper: systemRandom(32) }
  ours = await merchant('OURS')
  theirs = await merchant('THEIRS')
})
afterAll(() => pool.end())

beforeEach(() => startServer(10_000))

async function startServer(requestsPerMinute: number): Promise<void> {
  const log = createLog('info', { write: (line: string) => void (logged += line) })
  const limits = createMemoryLimits(clock)
  server = await createServer({
    log,
    newId,
    limits,
    proxies: 0,
    webhooks: {},
    requestsPerMinute,
    checkReady: () => Promise.resolve(),
  })
  const authenticate = createAuthenticate({ db: pool, clock, peppers: [tools.pepper] })
  const readSession = () => Promise.reject(new Error('There are no sessions in this test.'))
  const { createLimit } = limits
  registerGuard(server, { pool, clock, newId, authenticate, readSession, createLimit, keyRequestsPerMinute: 100 })
  for (const credentials of ['public', 'secret'] as const)
    server.app.get(`/${credentials}`, { config: { credentials, roles: [] } }, (request) =>
      answer('You are known.', callerOf(request)),
    )
}

async function merchant(code: string): Promise<Merchant> {
  const profile = {
    code,
    companyName: code,
    tradingName: '',
    description: '',
    avatar: '',
    homeCurrency: 'USD',
    timeZone: 'Africa/Lagos',
  }
  const { merchantId, liveId, testId } = await createMerchant(pool, profile, clock, newId)
  const keys = async (environment: Environment): Promise<Environment & Keys> => {
    const [pub, secret] = [
      await createKey(tools, environment, { kind: 'public', name: 'shop' }),
      await createKey(tools, environment, { kind: 'secret', name: 'server' }),
    ]
    return { ...environment, publicKey: pub.key, secretKey: secret.key, publicId: pub.id, secretId: secret.id }
  }
  return {
    merchantId,
    live: await keys({ environmentId: liveId, mode: 'live' }),
    test: await keys({ environmentId: testId, mode: 'test' }),
  }
}

async function request(path: string, publicKey?: string, secretKey?: string, more: Record<string, string> = {}) {
  const headers = {
    ...(publicKey !== undefined && { authorization: `Bearer ${publicKey}` }),
    ...(secretKey !== undefined && { 'x-api-private-key': secretKey }),
    ...more,
  }
  const reply = await server.app.inject({ url: path, headers })
  const { data, error } = reply.json<{ data?: object; error?: { code: string } }>()
  return { status: reply.statusCode, data, error: error?.code, headers: reply.headers }
}

describe('credentials', () => {
  test('a public key grants access to public endpoints and identifies the merchant', async () => {
    expect(await request('/public', ours.test.publicKey)).toMatchObject({
      status: 200,
      data: { merchantId: ours.merchantId, environmentId: ours.test.environmentId, mode: 'test', hasSecret: false },
    })
    expect(await request('/secret', ours.live.publicKey, ours.live.secretKey)).toMatchObject({
      status: 200,
      data: { environmentId: ours.live.environmentId, mode: 'live', hasSecret: true },
    })
  })

  const wrong: [string, () => ReturnType<typeof request>, number, string][] = [
    ['none', () => request('/public'), 401, 'KEY_MISSING'],
    [
      'no scheme',
      () => request('/public', undefined, undefined, { authorization: ours.test.publicKey }),
      401,
      'KEY_MISSING',
    ],
    ['a secret key as bearer', () => request('/public', ours.test.secretKey), 401, 'KEY_SECRET_AS_BEARER'],
    ['an invented key', () => request('/public', `pk_test_${'A'.repeat(49)}`), 401, 'KEY_UNKNOWN'],
    ['public only', () => request('/secret', ours.test.publicKey), 403, 'KEY_SECRET_MISSING'],
    [
      "another merchant's secret",
      () => request('/secret', ours.test.publicKey, theirs.test.secretKey),
      403,
      'KEY_SECRET_FOREIGN',
    ],
    ['test with live', () => request('/secret', ours.test.publicKey, ours.live.secretKey), 403, 'KEY_SECRET_FOREIGN'],
    ['a public key as secret', () => request('/secret', ours.test.publicKey, ours.test.publicKey), 401, 'KEY_UNKNOWN'],
    [
      'a wrong secret where none is needed',
      () => request('/public', ours.test.publicKey, 'sk_test_x'),
      401,
      'KEY_UNKNOWN',
    ],
  ]
  test.each(wrong)('refused: %s', async (_, send, status, error) => {
    expect(await send()).toMatchObject({ status, error })
  })

  test('an endpoint without declared credentials keeps the server from starting', () => {
    expect(() => server.app.get('/unguarded', () => 'open')).toThrow('/unguarded does not declare its credentials')
  })

  test('429: over the limit of a key, while another key works', async () => {
    const { publicKey, secretKey } = ours.test
    const responses = await Promise.all(Array.from({ length: 101 }, () => request('/secret', publicKey, secretKey)))
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(1)
    expect(responses.find(({ status }) => status === 429)).toMatchObject({
      error: 'RATE_LIMITED',
      headers: { 'retry-after': '60' },
    })
    expect(await request('/public', theirs.test.publicKey)).toMatchObject({ status: 200 })
  })

  test('guessing keys is limited by address', async () => {
    await server.stop()
    await startServer(20)
    const statuses: number[] = []
    for (let i = 0; i < 25; i++)
      statuses.push((await request('/public', makeKey('public', 'test', systemRandom))).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), ...Array.from({ length: 5 }, () => 429)])
  })

  test('keys never appear in the log', async () => {
    await request('/secret', ours.test.publicKey, ours.test.secretKey)
    await request('/public', ours.test.secretKey)
    expect(logged).toContain('/secret')
    expect(logged).not.toContain(ours.test.secretKey.slice(10, 30))
    expect(logged).not.toContain(ours.test.publicKey.slice(10, 30))
  })
})

describe('origins', () => {
  test('a browser may call only from the origins of its public key', async () => {
    const origins = ['https://shop.example']
    const { key } = await createKey(tools, ours.test, { kind: 'public', name: 'web', origins })
    const from = (origin: string) => request('/public', key, undefined, { origin })
    expect(await from('https://shop.example')).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': 'https://shop.example', vary: 'Origin' },
    })
    const elsewhere = await from('https://evil.example')
    expect(elsewhere).toMatchObject({ status: 403, error: 'ORIGIN_FORBIDDEN' })
    expect(elsewhere.headers['access-control-allow-origin']).toBeUndefined()
    expect(await request('/public', ours.test.publicKey, undefined, { origin: 'https://any.example' })).toMatchObject({
      status: 200,
      headers: { 'access-control-expose-headers': expect.stringContaining('Scrip-Reference-Id') as string },
    })
  })

  test('endpoints that require the secret key are not available to browsers', async () => {
    const reply = await request('/secret', ours.test.publicKey, ours.test.secretKey, { origin: 'https://shop.example' })
    expect(reply.headers['access-control-allow-origin']).toBeUndefined()
    const preflight = (url: string) =>
      server.app.inject({ method: 'OPTIONS', url, headers: { origin: 'https://shop.example' } })
    const allowed = await preflight('/merchant-integrations/redeem-voucher')
    expect(allowed.statusCode).toBe(204)
    expect(allowed.headers['access-control-allow-headers']).not.toMatch(/private/i)
    // Endpoints of our own pages are not available to other origins.
    const own = await preflight('/holder/voucher')
    expect([own.statusCode, own.headers['access-control-allow-origin']]).toEqual([204, undefined])
  })
})

describe('keys', () => {
  test('rotated: the old key works for a day, the new one immediately', async () => {
    const old = await createKey(tools, ours.test, { kind: 'public', name: 'till', origins: ['https://till.example'] })
    const made = await rotateKey(tools, ours.test, old.id)
    expect((await listKeys(tools, ours.test)).find(({ id }) => id === made.id)).toMatchObject({
      name: 'till',
      origins: ['https://till.example'],
    })
    expect([(await request('/public', old.key)).status, (await request('/public', made.key)).status]).toEqual([
      200, 200,
    ])
    clock.advance(24 * hourMs)
    expect([(await request('/public', old.key)).status, (await request('/public', made.key)).status]).toEqual([
      401, 200,
    ])
  })

  test('revoked: refused within 5 s by a server that has it cached', async () => {
    const { id, key } = await createKey(tools, ours.test, { kind: 'public', name: 'lost' })
    expect((await request('/public', key)).status).toBe(200)
    await revokeKey(tools, ours.test, id)
    clock.advance(4_900)
    expect(await request('/public', key)).toMatchObject({ status: 401, error: 'KEY_UNKNOWN' })
    // Rotating does not revive a key that has ended.
    await expect(rotateKey(tools, ours.test, id)).rejects.toMatchObject({ code: 'KEY_ENDED' })
    expect((await request('/public', key)).status).toBe(401)
  })

  test('listed secret keys show only their start, end and last use', async () => {
    await request('/secret', theirs.live.publicKey, theirs.live.secretKey)
    const listed = await listKeys(tools, theirs.live)
    expect(listed.map(({ kind }) => kind)).toEqual(['secret', 'public'])
    expect(listed[0]).toMatchObject({
      shown: `sk_live_…${theirs.live.secretKey.slice(-4)}`,
      lastUsedAt: expect.any(Date) as Date,
    })
    expect(listed[1]!.shown).toBe(theirs.live.publicKey)
  })

  test('of another merchant or mode cannot be listed, rotated or revoked', async () => {
    for (const foreign of [theirs.test, ours.live]) {
      await expect(rotateKey(tools, ours.test, foreign.publicId)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' })
      await expect(revokeKey(tools, ours.test, foreign.secretId)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' })
      expect((await listKeys(tools, ours.test)).map(({ id }) => id)).not.toContain(foreign.publicId)
    }
    expect((await request('/public', theirs.test.publicKey)).status).toBe(200)
  })

  test('cannot be read or created outside of an environment', async () => {
    expect((await pool.query('select from merchant_keys')).rowCount).toBe(0)
    const forge = pool.query(
      `insert into merchant_keys (id, environment_id, kind, name, digest, shown, created_at) values ($1, $2, 'secret', 'x', $3, '', $4)`,
      [newId(), theirs.live.environmentId, systemRandom(32), clock()],
    )
    await expect(forge).rejects.toThrow('row-level security')
  })
})

test('a pepper can be replaced at run time: keys work under both and move to the new one on use', async () => {
  const newer = systemRandom(32)
  const { publicKey } = theirs.live
  const authenticateWith = (...peppers: Buffer[]) =>
    createAuthenticate({ db: pool, clock, peppers })(
      { authorization: `Bearer ${publicKey}`, secretKey: undefined, origin: undefined },
      'public',
      () => undefined,
    )
  await authenticateWith(tools.pepper, newer)
  await expect(authenticateWith(newer)).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
  // Concurrently, as from several processes.
  await Promise.all(Array.from({ length: 5 }, () => authenticateWith(newer, tools.pepper)))
  expect(await authenticateWith(newer)).toMatchObject({ merchantId: theirs.merchantId })
  await authenticateWith(tools.pepper, newer)
  expect(await authenticateWith(tools.pepper)).toMatchObject({ merchantId: theirs.merchantId })
})

test('a merchant needs a unique code and a valid time zone', async () => {
  const profile = {
    code: 'OURS',
    companyName: 'x',
    tradingName: '',
    description: '',
    avatar: '',
    homeCurrency: 'USD',
    timeZone: 'UTC',
  }
  await expect(createMerchant(pool, profile, clock, newId)).rejects.toMatchObject({ code: 'MERCHANT_CODE_TAKEN' })
  await expect(createMerchant(pool, { ...profile, timeZone: 'Mars/Base' }, clock, newId)).rejects.toMatchObject({
    code: 'TIME_ZONE_UNKNOWN',
  })
})
