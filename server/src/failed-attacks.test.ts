// Attacks on the API that have always failed and must keep failing. Races over money run against two API processes.
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../local/test/api-world.ts'
import { oneTimeCode } from '../local/parts/one-time-code.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { addMember, addPerson, createVisitor, password, pin } from '../local/test/visitor.ts'
import { buildApp } from './app.ts'
import { createPool, type Pool } from './base/db.ts'
import { createLog } from './base/log.ts'
import { readConfig } from './config.ts'
import { verifyLedger } from './ledger/verify.ts'

const M = '/merchant-integrations'
const S = '/merchant-integrations-server'

type Answer = {
  readonly code: number
  readonly data: Record<string, unknown>
  readonly error?: { readonly code: string }
}
type Method = 'GET' | 'POST' | 'DELETE'

let world: ApiWorld
let second: Awaited<ReturnType<typeof buildApp>>
let books: Pool
let baseUrl: URL

beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url)
  const config = readConfig({
    DATABASE_URL: url,
    KEY_PEPPER: world.pepper,
    KEY_RING: world.keyRing,
    PUBLIC_URL: 'https://pay.example',
    REQUESTS_PER_MINUTE: '1000000',
    KEY_REQUESTS_PER_MINUTE: '1000000',
  })
  second = await buildApp(config, createLog('silent'), { settingsMs: 0 })
  books = createPool(ownerUrl, 2)
  baseUrl = new URL(await world.app.listen({ port: 0, host: '127.0.0.1' }))
  for (const currency of ['USD', 'EUR']) await world.fund(100_000, { currency })
})
afterAll(async () => {
  expect(await verifyLedger(books)).toEqual([])
  await books.end()
  await second.stop()
  await world.close()
})

/** A request with both keys of a merchant: even turns go to the first process, odd turns to the second. */
async function ask(
  method: Method,
  path: string,
  body?: unknown,
  { turn = 0, as = world.ours }: { turn?: number; as?: WorldMerchant } = {},
): Promise<Answer & { readonly status: number }> {
  const { app } = turn % 2 === 0 ? world : second
  const reply = await app.inject({
    method,
    url: path,
    headers: {
      authorization: `Bearer ${as.publicKey}`,
      'x-api-private-key': as.secretKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const parsed = reply.headers['content-type']?.toString().includes('json') === true ? reply.json<Answer>() : undefined
  return { code: 0, data: {}, ...parsed, status: reply.statusCode }
}

function atOnce<T>(count: number, work: (turn: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, turn) => work(turn)))
}

async function issue(amount: number, more: object = {}): Promise<{ id: string; code: string }> {
  const { data } = await ask('POST', '/sandbox/vouchers', { amount, currency: 'USD', ...more })
  return { id: String(data.id), code: String(data.code) }
}

async function redeem(voucherCode: string, amount: number | string, turn = 0, as = world.ours) {
  const referenceId = world.newId()
  return {
    referenceId,
    ...(await ask('POST', `${M}/redeem-voucher`, { voucherCode, amount, referenceId }, { turn, as })),
  }
}

describe('races', () => {
  test('of 24 concurrent redemptions of 1.00 at two shops, a voucher of 10.00 pays ten', async () => {
    for (let round = 0; round < 4; round++) {
      const { code } = await issue(10)
      const answers = await atOnce(24, (turn) => redeem(code, 1, turn, turn % 3 === 0 ? world.theirs : world.ours))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
      expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    }
  })

  test('twenty concurrent requests with one reference make one redemption', async () => {
    const { code } = await issue(10)
    const body = { voucherCode: code, amount: 2, referenceId: world.newId() }
    const answers = await atOnce(20, (turn) => ask('POST', `${M}/redeem-voucher`, body, { turn }))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ data }) => data.transactionId)).size).toBe(1)
  })

  test('concurrent refunds do not exceed the redeemed amount', async () => {
    for (let round = 0; round < 3; round++) {
      const { referenceId } = await redeem((await issue(10)).code, 5)
      const answers = await atOnce(16, (turn) => {
        const part = turn % 2 === 0 ? {} : { amount: '2.50' }
        return ask('POST', `${S}/refund`, { referenceId, refundReferenceId: world.newId(), ...part }, { turn })
      })
      const back = answers.filter(({ status }) => status === 200).map(({ data }) => Number(data.amount))
      expect(back.reduce((sum, amount) => sum + amount, 0)).toBe(5)
    }
  })

  test('the ledger balances after a voucher is redeemed, cancelled, replaced, refunded and blocked concurrently', async () => {
    for (let round = 0; round < 4; round++) {
      const issued = await ask('POST', `${S}/vouchers`, { amount: 10, currency: 'USD', referenceId: world.newId() })
      const { id, code } = issued.data as { id: string; code: string }
      const { referenceId } = await redeem(code, 3)
      const refund = () => ({ referenceId, refundReferenceId: world.newId() })
      const answers = await Promise.all([
        redeem(code, 'max', 0),
        ask('POST', `${S}/vouchers/${id}/cancel`, { voucherCode: code }, { turn: 1 }),
        ask('POST', `${S}/vouchers/${id}/replace`, { referenceId: world.newId() }, { turn: 0 }),
        ask('POST', `${S}/vouchers/${id}/replace`, { referenceId: world.newId() }, { turn: 1 }),
        ask('POST', `${S}/refund`, refund(), { turn: 0 }),
        ask('POST', `${S}/refund`, refund(), { turn: 1 }),
        ask('POST', `${S}/vouchers/${id}/block`, {}, { turn: 0 }),
        ask('POST', `${S}/vouchers/${id}/unblock`, {}, { turn: 1 }),
      ])
      expect(answers.filter(({ status }) => status >= 500)).toEqual([])
      expect(await verifyLedger(books)).toEqual([])
    }
  })

  test('a payment request that is authorised, declined and withdrawn concurrently has one outcome', async () => {
    const ada = await addPerson(world, 'test')
    await ask('POST', '/sandbox/fund', { currency: 'USD', amount: 50, user: ada.person.email })
    for (let round = 0; round < 4; round++) {
      const reference = world.newId()
      const request = { amount: 1, currency: 'USD', user_identifier: ada.person.email, reference_id: reference }
      expect((await ask('POST', `${M}/payment-request`, request)).status).toBe(200)
      const { requests } = (await ada.get('/wallet/payment-requests')).json().data as { requests: { id: string }[] }
      const path = `/wallet/payment-requests/${requests[0]?.id}`
      const before = await balanceOf(ada, 'USD')
      await Promise.all([
        ...[0, 1, 2, 3].map(() => ada.post(`${path}/authorise`, { pin })),
        ada.post(`${path}/decline`),
        ask('POST', `${S}/payment-requests/${reference}/cancel`, undefined, { turn: 1 }),
      ])
      const { status } = (await ask('GET', `${S}/verify-transaction/${reference}`)).data
      const paid = before - (await balanceOf(ada, 'USD'))
      expect(paid).toBe(status === 'COMPLETED' ? 1 : 0)
    }
  })

  test('ten concurrent purchases with the last balance of a wallet buy one voucher, which can be redeemed once', async () => {
    const ada = await addPerson(world, 'test')
    await ask('POST', '/sandbox/fund', { currency: 'EUR', amount: 20, user: ada.person.email })
    const bought = await atOnce(10, () => ada.post('/wallet/vouchers', { amount: '20.00', currency: 'EUR', pin }))
    expect(bought.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await balanceOf(ada, 'EUR')).toBe(0)
    const { code } = bought.find(({ status }) => status === 200)?.json().data as { code: string }
    const back = await atOnce(10, () => ada.post('/wallet/vouchers/redeem', { code }))
    expect(back.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await balanceOf(ada, 'EUR')).toBe(20)
  })

  test('of 60 concurrent wrong PINs, at most five are compared', async () => {
    const { code } = await issue(10, { lockPin: '8642' })
    const answers = await atOnce(60, (turn) => {
      const body = { voucherCode: code, amount: 1, lockPin: String(2_000 + turn), referenceId: world.newId() }
      return ask('POST', `${M}/redeem-voucher`, body, { turn })
    })
    const compared = answers.filter(({ error }) => error?.code === 'VOUCHER_PIN_WRONG')
    expect(compared.length).toBeGreaterThan(0)
    expect(compared.length).toBeLessThanOrEqual(5)
    expect(answers.every(({ status }) => status >= 400 && status < 500)).toBe(true)
  })
})

async function balanceOf(ada: { get: (path: string) => Promise<{ json: () => { data: unknown } }> }, currency: string) {
  const { balances } = (await ada.get('/wallet')).json().data as {
    balances: { currency: string; available: string }[]
  }
  return Number(balances.find((balance) => balance.currency === currency)?.available ?? '0')
}

describe('access to objects of others', () => {
  test('ids of one shop are refused for another', async () => {
    const voucher = await issue(10)
    const { referenceId } = await redeem(voucher.code, 1)
    const { data: batch } = await ask('POST', `${S}/voucher-batches`, { size: 2, amount: 1, currency: 'USD' })
    await world.work()
    const customer = { email: `c-${world.newId().slice(-8)}@example.com`, name: 'C' }
    const { data: added } = await ask('POST', `${S}/add-new-customer`, customer)
    const { data: hook } = await ask('POST', '/webhook-endpoints', { url: 'https://shop.example/x', description: 'x' })
    const hookId = String((hook.endpoint as { id: string } | undefined)?.id ?? hook.id)
    const tries: [Method, string, object?][] = [
      ['POST', `${S}/vouchers/${voucher.id}/cancel`, { voucherCode: voucher.code }],
      ['POST', `${S}/vouchers/${voucher.id}/block`, {}],
      ['POST', `${S}/vouchers/${voucher.id}/unblock`, {}],
      ['POST', `${S}/vouchers/${voucher.id}/code`, {}],
      ['POST', `${S}/vouchers/${voucher.id}/replace`, { referenceId: world.newId() }],
      ['POST', `${S}/vouchers/${voucher.id}/reset-pin`, { lockPin: '1111' }],
      ['POST', `${S}/vouchers/${voucher.id}/reopen`, {}],
      ['GET', `${S}/voucher-batches/${String(batch.id)}`],
      ['GET', `${S}/voucher-batches/${String(batch.id)}/vouchers.csv`],
      ['GET', `${S}/voucher-batches/${String(batch.id)}/vouchers.pdf`],
      ['POST', `/webhook-endpoints/${hookId}`, { description: 'y' }],
      ['DELETE', `/webhook-endpoints/${hookId}`],
      ['POST', `/webhook-endpoints/${hookId}/rotate-secret`],
      ['POST', `/webhook-endpoints/${hookId}/test`],
      ['GET', `/webhook-endpoints/${hookId}/deliveries`],
      ['POST', `${S}/update-customer`, { id: added.id, email: 'z@example.com', name: 'Z' }],
      ['DELETE', `${M}/delete-customer/${String(added.id)}`],
      ['GET', `${S}/verify-transaction/${referenceId}`],
      ['POST', `${S}/transactions/${referenceId}/receipt`, { email: 'z@example.com' }],
      ['POST', `${S}/refund`, { referenceId, refundReferenceId: world.newId() }],
      ['POST', `${S}/payment-requests/${referenceId}/cancel`],
      ['POST', `${S}/outflows/${referenceId}/cancel`],
      ['POST', `/sandbox/payment-requests/${referenceId}/authorise`],
    ]
    // The ids are real: their own shop can use them.
    expect((await ask('GET', `${S}/verify-transaction/${referenceId}`)).status).toBe(200)
    expect((await ask('GET', `${S}/voucher-batches/${String(batch.id)}`)).status).toBe(200)
    expect((await ask('GET', `/webhook-endpoints/${hookId}/deliveries`)).status).toBe(200)
    for (const [method, path, body] of tries) {
      const { status } = await ask(method, path, body, { as: world.theirs })
      expect([path, status >= 400 && status < 500]).toEqual([path, true])
    }
  })

  test('a public and a secret key of different shops or modes are refused together', async () => {
    const { ours, theirs } = world
    const mixes: Record<string, string>[] = [
      { authorization: `Bearer ${ours.publicKey}`, 'x-api-private-key': theirs.secretKey },
      { authorization: `Bearer ${theirs.publicKey}`, 'x-api-private-key': ours.secretKey },
      { authorization: `Bearer ${ours.livePublicKey}`, 'x-api-private-key': ours.secretKey },
      { authorization: `Bearer ${ours.secretKey}` },
      { authorization: `Bearer ${ours.publicKey}` },
      { 'x-api-private-key': ours.secretKey },
      { 'scrip-merchant': ours.code, 'scrip-mode': 'test', 'scrip-realm': 'staff' },
      {},
    ]
    for (const headers of mixes) {
      const url = `${M}/fetch-balance?currencyAbbreviation=USD`
      expect([401, 403]).toContain((await world.app.inject({ method: 'GET', url, headers })).statusCode)
    }
  })

  test('a session is valid in its own realm only, and only with the realm header', async () => {
    const ada = await addPerson(world, 'test')
    const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const staff = { 'scrip-realm': 'staff', 'scrip-merchant': 'OURS', 'scrip-mode': 'test' }
    const tries: [string, Record<string, string>][] = [
      ['/merchant/members', { cookie, ...staff }],
      ['/merchant/members', { cookie: cookie.replaceAll('scrip-test', 'scrip-staff'), ...staff }],
      ['/wallet', { cookie: cookie.replaceAll('scrip-test', 'scrip-live'), 'scrip-realm': 'live' }],
      ['/wallet', { cookie }],
    ]
    for (const [url, headers] of tries)
      expect([400, 401]).toContain((await world.app.inject({ method: 'GET', url, headers })).statusCode)
    expect((await ada.get('/wallet')).status).toBe(200)
  })

  test('requests, deposits and quotes of another user are refused', async () => {
    const [ada, bob] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
    const request = { amount: 1, currency: 'USD', user_identifier: ada.person.email }
    await ask('POST', `${M}/payment-request`, request)
    const { requests } = (await ada.get('/wallet/payment-requests')).json().data as { requests: { id: string }[] }
    const path = `/wallet/payment-requests/${requests[0]?.id}`
    expect((await ada.get(path)).status).toBe(200)
    const statuses = [
      await bob.get(path),
      await bob.post(`${path}/authorise`, { pin }),
      await bob.post(`${path}/decline`),
    ].map(({ status }) => status)
    expect(statuses).toEqual([404, 404, 404])
  })
})

describe('hostile input', () => {
  const amounts = [
    ...['-1', '-0', '1e400', '1e-400', '9007199254740993', '"5 "', '[5]', 'null', '"0x10"', '"1_000"', '"１"', '"1,5"'],
    ...[
      '"+1"',
      '".5"',
      '"5."',
      '1.005',
      '"NaN"',
      '"Infinity"',
      '{}',
      'true',
      '"-5"',
      '0',
      '"0.00"',
      '00',
      '01',
      '1e99',
    ],
    ...['1e-3', `"${'9'.repeat(80)}"`, '"max "', '"MAX"', '"٣"', '0.001', `1.${'0'.repeat(42)}1`],
  ]
  const bodies: [string, (amount: string) => string][] = [
    [`${S}/vouchers`, (amount) => `{"amount":${amount},"currency":"USD"}`],
    [
      `${S}/payout`,
      (amount) =>
        `{"amount":${amount},"fromCurrencyAbbreviation":"USD","toCurrencyAbbreviation":"USD","platformUsernameOrEmail":"nobody"}`,
    ],
    [`${M}/payment-request`, (amount) => `{"amount":${amount},"currency":"USD","user_identifier":"nobody"}`],
    [`${S}/refund`, (amount) => `{"amount":${amount},"referenceId":"x","refundReferenceId":"y"}`],
  ]

  test('invalid amounts are refused without a 5xx and move no money', async () => {
    const { code } = await issue(100)
    const readBalance = async () => (await ask('GET', `${M}/fetch-balance?currencyAbbreviation=USD`)).data.balance
    const before = await readBalance()
    const all: typeof bodies = [
      [
        `${M}/redeem-voucher`,
        (amount) => `{"voucherCode":"${code}","amount":${amount},"referenceId":"${world.newId()}"}`,
      ],
      ...bodies,
    ]
    for (const [path, write] of all)
      for (const amount of amounts) {
        const { status } = await ask('POST', path, write(amount))
        expect([path, amount, status >= 400 && status < 500]).toEqual([path, amount, true])
      }
    expect(await readBalance()).toEqual(before)
  })

  test('hostile JSON is refused and changes no prototype', async () => {
    const texts = [
      '{"voucherCode":"a","voucherCode":"b","amount":1}',
      '{"__proto__":{"x":1},"voucherCode":"a","amount":1}',
      '{"constructor":{"prototype":{"x":1}},"voucherCode":"a","amount":1}',
      '{"voucherCode":"\\u0000","amount":1}',
      '{"voucherCode":"\\ud800","amount":1}',
      '['.repeat(30_000),
      `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`,
      `{"voucherCode":"${'a'.repeat(60_000)}","amount":1}`,
      'null',
      '1',
      '"x"',
      '{"voucherCode":{"toString":"x"},"amount":1}',
      '\ufeff{"voucherCode":"a","amount":1}',
      '{"voucherCode":"a","amount":1}garbage',
      '{"vouche\\u0072Code":"a","voucherCode":"b","amount":1}',
    ]
    for (const text of texts) {
      const { status } = await ask('POST', `${M}/redeem-voucher`, text)
      expect([text.slice(0, 40), status >= 400 && status < 500]).toEqual([text.slice(0, 40), true])
    }
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  test('hostile text in URLs is not interpreted as SQL or as a path', async () => {
    const owner = await addMember(world, world.ours, 'owner')
    const texts = [
      "' or 1=1--",
      "'; drop table users;--",
      '\\',
      '%',
      '_',
      "' union select 1--",
      'a\'b"c',
      '$1',
      '::uuid',
    ]
    for (const text of texts.map(encodeURIComponent)) {
      const paths = [
        ...['search', 'type', 'status', 'cursor', 'from'].map((name) => `/merchant/payments?${name}=${text}`),
        `/merchant/issued?search=${text}`,
        `${M}/fetch-customers?search=${text}`,
        `${S}/transactions?type=${text}&cursor=${text}`,
        `/merchant/payments/${text}`,
        `/events?cursor=${text}`,
      ]
      for (const path of paths) {
        const { status } = await owner.get(path)
        expect([path, status < 500]).toEqual([path, true])
      }
    }
    const climbs = [
      '/logos/currency/..%2f..%2fetc%2fpasswd',
      '/assets/../../package.json',
      '/docs/../.env',
      '/.env',
      '/%E0%A4%A',
    ]
    for (const url of climbs) {
      const { statusCode } = await world.app.inject({ method: 'GET', url })
      expect([url, statusCode >= 400 && statusCode < 500]).toEqual([url, true])
    }
  })
})

describe('a password without the second factor', () => {
  test('gives no access, and the second factor cannot be guessed', async () => {
    const ada = await addPerson(world, 'test')
    const enabled = await ada.post('/auth/test/two-factor/enable', { password })
    const { totpURI } = enabled.as<{ data: { totpURI: string } }>().data
    const secret = new URL(totpURI).searchParams.get('secret') ?? ''
    await ada.post('/auth/test/two-factor/verify-totp', { code: oneTimeCode(secret) })
    const thief = createVisitor(world, 'test')
    expect((await thief.signIn(ada.person.email)).status).toBe(200)
    expect((await thief.get('/wallet')).status).toBe(401)
    let compared = 0
    for (let i = 0; i < 40; i++) {
      const reply = await thief.post('/auth/test/two-factor/verify-totp', { code: String(100_000 + i) })
      expect(reply.status).toBeGreaterThanOrEqual(400)
      if (reply.json().error?.reason === 'INVALID_CODE') compared++
    }
    expect(compared).toBeLessThanOrEqual(10)
    expect((await thief.get('/wallet')).status).toBe(401)
  })
})

test('incomplete requests lose their connections, and other requests succeed meanwhile', {
  timeout: 60_000,
}, async () => {
  const head = 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-a: '
  const body =
    'POST /holder/voucher HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 600\r\n\r\n{'
  const sockets = await Promise.all(Array.from({ length: 200 }, (_, i) => openSocket(i % 2 === 0 ? head : body)))
  expect((await fetch(new URL('/health/live', baseUrl))).status).toBe(200)
  expect(sockets.filter(({ closed }) => closed)).toEqual([])
  // The timeout is 30 seconds, checked every five; the rest allows for a busy machine.
  await expect.poll(() => sockets.filter(({ closed }) => !closed).length, { timeout: 50_000, interval: 500 }).toBe(0)
})

function openSocket(text: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(Number(baseUrl.port), '127.0.0.1', () => {
      socket.write(text)
      resolve(socket)
    })
    socket.resume()
    socket.on('error', () => undefined)
  })
}
