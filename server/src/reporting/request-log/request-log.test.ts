import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, type CallOptions, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember } from '../../../local/test/visitor.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { systemRandom } from '../../base/random.ts'
import { keepRequestLog } from './store.ts'
import type { WireLoggedRequest, WireLoggedRequestDetail } from './wire.ts'

const own = '/merchant-integrations'
const server = '/merchant-integrations-server'
const dayMs = 24 * 60 * 60 * 1_000

let world: ApiWorld
let owner: Pool
let developer: Awaited<ReturnType<typeof addMember>>
let now = new Date()
beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url, () => now)
  owner = createPool(ownerUrl, 2)
  developer = await addMember(world, world.ours, 'developer')
})
afterAll(async () => {
  await owner.end()
  await world.close()
})

type Page = { requests: WireLoggedRequest[]; nextCursor: string; hasMore: boolean }
const list = async (query = '', who = developer): Promise<Page> =>
  (await who.get(`/merchant/requests?limit=100${query}`)).json().data as Page
const detail = async (id: string): Promise<WireLoggedRequestDetail> =>
  (await developer.get(`/merchant/requests/${id}`)).json().data as unknown as WireLoggedRequestDetail

/** Sends a request and returns its entry, which is written a moment later. */
async function logged(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  options: CallOptions = {},
): Promise<WireLoggedRequestDetail> {
  const { headers } = await world.call(method, path, options)
  const id = String(headers['x-request-id'])
  await expect.poll(async () => (await list(`&id=${id}`)).requests.length, { timeout: 10_000 }).toBe(1)
  return detail(id)
}

describe('an entry', () => {
  test('has the request with its key, its reference and its bodies, and no code and no PIN', async () => {
    const voucherCode = await world.voucher(50, { lockPin: '4711' })
    const body = { voucherCode, amount: 12.5, lockPin: '4711', referenceId: 'order-1' }
    const entry = await logged('POST', `${own}/redeem-voucher`, { body, address: '203.0.113.9' })
    expect(entry).toMatchObject({
      ...{ method: 'POST', route: `${own}/redeem-voucher`, status: 200, errorCode: '', reference: 'order-1' },
      ...{ keyName: 'server', address: '203.0.113.9' },
    })
    expect(entry.key).toMatch(/^sk_test_….{4}$/)
    expect(JSON.parse(entry.requestBody)).toEqual({
      ...{ voucherCode: '[hidden]', amount: 12.5, lockPin: '[hidden]', referenceId: 'order-1' },
    })
    expect(JSON.parse(entry.responseBody)).toMatchObject({ code: 200, data: { referenceId: 'order-1' } })
    expect(JSON.stringify(entry)).not.toContain(voucherCode)
  })

  test('says why a request was refused, also when its secret key was missing', async () => {
    const wrong = await logged('POST', `${own}/redeem-voucher`, { body: { voucherCod: 'x', amount: 1 } })
    expect(wrong).toMatchObject({ status: 400, errorCode: 'FIELD_INVALID' })
    expect(JSON.parse(wrong.requestBody)).toEqual({ voucherCod: '[hidden]', amount: 1 })
    expect(wrong.responseBody).toContain('"param":"voucherCod')
    const keyless = await logged('GET', `${server}/transactions`, { keys: 'public' })
    expect(keyless).toMatchObject({ status: 403, errorCode: 'KEY_SECRET_MISSING', keyName: 'shop' })
    const foreign = { ...world.ours, secretKey: world.theirs.secretKey }
    expect(await logged('GET', `${server}/transactions`, { as: foreign })).toMatchObject({
      errorCode: 'KEY_SECRET_FOREIGN',
    })
  })

  test('has the template of the path and no part of the address', async () => {
    const entry = await logged('GET', `${own}/confirm-user/eve@example.com`)
    expect(entry.route).toBe(`${own}/confirm-user/:identifier`)
    expect(JSON.stringify(entry)).not.toContain('eve')
  })

  test('keeps the digits of amounts, and no file', async () => {
    const exact = await logged('POST', `${own}/redeem-voucher`, {
      body: '{"voucherCode":"J1NZ-V91P-CXQJ-9YH9","amount":9007199254740993.10}',
    })
    expect(exact.requestBody).toBe('{"voucherCode":"[hidden]","amount":9007199254740993.10}')
    const file = { csv: `code,amount,currency\n${'x'.repeat(20_000)}` }
    expect((await logged('POST', `${server}/voucher-imports`, { body: file })).requestBody).toBe('')
  })
})

test('no row has a code, a PIN, a key, an email address or a name of the requests that were made', async () => {
  const email = `${world.newId().slice(0, 8)}@example.com`
  const secret = { name: `Eve ${world.newId()}`, word: `hidden-${world.newId()}` }
  const code = await world.voucher(100)
  const { data } = await world.post<{ id: string; code: string }>(`${server}/vouchers`, {
    ...{ amount: 1, currency: 'USD', forEmail: email, lockPin: '8642' },
  })
  const made = [code, code.replaceAll('-', '').toLowerCase(), data.code, email, secret.name, secret.word]
  await world.post(`${own}/verify-voucher`, { voucherCode: code })
  await world.post(`${own}/verify-voucher`, { code, [code]: code, currency: code })
  await world.redeem({ voucherCode: code, amount: 1, metaData: secret.word, referenceId: 'with-metadata' })
  await world.redeem({ voucherCode: code, amount: 1, referenceId: code })
  await world.post(`${server}/add-new-customer`, { email, name: secret.name })
  await world.get(`${own}/fetch-customers?search=${encodeURIComponent(email)}`)
  const last = await logged('POST', '/webhook-endpoints', { body: { url: `https://x.example/${secret.word}` } })
  expect(last.responseBody).toContain('"secret":"[hidden]"')
  const { rows } = await owner.query<{ row: string }>('select to_jsonb(r)::text as row from request_log r')
  expect(rows.length).toBeGreaterThan(7)
  const { publicKey, secretKey } = world.ours
  for (const { row } of rows)
    for (const each of [...made, publicKey, secretKey].filter(Boolean)) expect(row).not.toContain(each)
})

describe('the list', () => {
  test('has requests of the last seven days in pages, newest first, by status, path, key and reference', async () => {
    for (let i = 0; i < 5; i++) await world.get(`${own}/fetch-supported-currencies`)
    const last = await logged('GET', `${own}/fetch-supported-currencies`, { keys: 'public' })
    const route = `${own}/fetch-supported-currencies`
    const first = (await developer.get(`/merchant/requests?limit=4&route=${route}`)).json().data as Page
    expect(first.requests.map((each) => each.route)).toEqual(Array.from({ length: 4 }, () => route))
    expect(first.hasMore).toBe(true)
    const next = (await developer.get(`/merchant/requests?limit=4&route=${route}&cursor=${first.nextCursor}`)).json()
    const ids = [...first.requests, ...(next.data as Page).requests].map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)].toSorted().toReversed())
    expect(ids.length).toBeGreaterThanOrEqual(6)
    expect((await list(`&keyId=${last.keyId}`)).requests.every(({ keyName }) => keyName === 'shop')).toBe(true)
    const refused = (await list('&status=refused')).requests
    expect(refused.length).toBeGreaterThan(2)
    expect(refused.every(({ status }) => status >= 400 && status < 500)).toBe(true)
    expect((await list('&status=ok')).requests.every(({ status }) => status < 400)).toBe(true)
    expect((await list('&status=failed')).requests).toEqual([])
    expect((await list('&reference=order-1')).requests.map(({ reference }) => reference)).toEqual(['order-1'])
    now = new Date(now.getTime() + 8 * dayMs)
    expect((await list()).requests).toEqual([])
    expect((await developer.get(`/merchant/requests/${last.id}`)).json().error?.code).toBe('REQUEST_UNKNOWN')
    now = new Date()
  })

  test('has no request of staff, of another merchant or of another mode', async () => {
    await developer.get(`${own}/fetch-supported-currencies`)
    const { headers } = await world.call('GET', `${own}/fetch-supported-currencies`, { as: world.theirs })
    const { id } = await logged('GET', `${own}/fetch-balance?currencyAbbreviation=USD`)
    expect((await list(`&id=${String(headers['x-request-id'])}`)).requests).toEqual([])
    const theirs = await addMember(world, world.theirs, 'owner')
    expect((await theirs.get(`/merchant/requests/${id}`)).status).toBe(404)
    const { rows } = await owner.query('select from request_log where route like $1', ['/merchant/%'])
    expect(rows).toEqual([])
  })

  test('is for owners and developers only', async () => {
    for (const role of ['cashier', 'accountant'] as const) {
      const member = await addMember(world, world.ours, role)
      for (const path of ['requests', `requests/${world.newId()}`, 'keys', 'events', 'integration-checklist'])
        expect((await member.get(`/merchant/${path}`)).json().error?.code).toBe('ROLE_FORBIDDEN')
    }
  })
})

test('while the log cannot be written, redemptions are answered, and their entries follow', async () => {
  const voucherCode = await world.voucher(100)
  const locker = await owner.connect()
  await locker.query('begin; lock table request_log in exclusive mode')
  const startMs = performance.now()
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) => world.redeem({ voucherCode, amount: 1, referenceId: `locked-${i}` })),
  )
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect(performance.now() - startMs).toBeLessThan(5_000)
  // Longer than a statement waits for a lock.
  await new Promise((resolve) => setTimeout(resolve, 6_500))
  expect((await list('&reference=locked-19')).requests).toEqual([])
  await locker.query('commit')
  locker.release()
  await expect.poll(async () => (await list('&reference=locked-19')).requests.length, { timeout: 20_000 }).toBe(1)
})

test('the log has a part for each day, and a day leaves as a whole after seven days', async () => {
  const parts = async (): Promise<string[]> => {
    const { rows } = await owner.query<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'request_log'::regclass and c.relname <> 'request_log_other' order by 1`,
    )
    return rows.map(({ name }) => name)
  }
  const start = new Date('2031-03-30T12:00:00Z')
  expect(await keepRequestLog(world.pool, start, 100)).toBe(false)
  const days = ['20310330', '20310331', '20310401', '20310402'].map((day) => `request_log_${day}`)
  expect(await parts()).toEqual(expect.arrayContaining(days))
  const insert = (id: string) =>
    owner.query(`insert into request_log values ($1, $2, $1, 'GET', '/', 200, '', 1, '', '', '', '', $3)`, [
      world.ours.environmentId,
      id,
      start,
    ])
  const idAt = (at: Date): string => {
    const ms = at.getTime().toString(16).padStart(12, '0')
    return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${systemRandom(6).toString('hex')}`
  }
  const first = idAt(start)
  await insert(first)
  const at = async (id: string): Promise<string | undefined> => {
    const { rows } = await owner.query<{ part: string }>(
      'select tableoid::regclass::text as part from request_log where id = $1',
      [id],
    )
    return rows[0]?.part
  }
  expect(await at(first)).toBe('request_log_20310330')
  await keepRequestLog(world.pool, new Date('2031-04-06T23:00:00Z'), 100)
  expect(await at(first)).toBe('request_log_20310330')
  await keepRequestLog(world.pool, new Date('2031-04-07T00:00:00Z'), 100)
  expect(await at(first)).toBeUndefined()
  expect(await parts()).not.toContain('request_log_20310330')
  // Rows of a day that had no part are deleted one by one, a page at a time.
  const strays = [idAt(new Date('2031-05-01T00:00:00Z')), idAt(new Date('2031-05-01T00:00:01Z'))]
  for (const stray of strays) await insert(stray)
  expect(await keepRequestLog(world.pool, new Date('2031-05-07T00:00:00Z'), 1)).toBe(false)
  expect(await keepRequestLog(world.pool, new Date('2031-05-09T00:00:00Z'), 1)).toBe(true)
  expect(await keepRequestLog(world.pool, new Date('2031-05-09T00:00:00Z'), 10)).toBe(false)
  expect(await at(strays[1] ?? '')).toBeUndefined()
})

test('the checklist ticks itself from what the merchant has done', async () => {
  const member = await addMember(world, world.theirs, 'developer')
  const done = async (): Promise<string[]> => {
    const { data } = (await member.get('/merchant/integration-checklist')).json()
    return (data.steps as { step: string; isDone: boolean }[]).filter(({ isDone }) => isDone).map(({ step }) => step)
  }
  expect(await done()).toEqual(['test_key', 'live_key'])
  const voucherCode = await world.voucher(10, {}, world.theirs)
  await world.redeem({ voucherCode, amount: 1 }, { as: world.theirs })
  await world.post('/webhook-endpoints', { url: 'http://127.0.0.1:9/' }, world.theirs)
  expect(await done()).toEqual(['test_key', 'test_redemption', 'test_endpoint', 'live_key'])
})
