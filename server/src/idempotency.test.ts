// Every POST that creates an object creates it once per Idempotency-Key.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { addPerson } from '../local/test/visitor.ts'
import { createPool } from './base/db.ts'
import { verifyLedger } from './ledger/verify.ts'

const own = '/merchant-integrations'
const server = '/merchant-integrations-server'
type Case = { path: string; body: object; other: object; template?: string }
type Trial = { trial: { confirmation: string } }

let world: ApiWorld
let ownerUrl: string
let cases: Case[]
beforeAll(async () => {
  const database = await createTestDatabase()
  ownerUrl = database.ownerUrl
  world = await createApiWorld(database.url)
  cases = await prepareCases()
})
afterAll(() => world.close())

const send = (path: string, body: object, key?: string) =>
  world.call('POST', path, { body, ...(key !== undefined && { headers: { 'idempotency-key': key } }) })

const issue = async () =>
  (await world.post<{ id: string; code: string }>(`${server}/vouchers`, { amount: 10, currency: 'USD' })).data

async function prepareCases(): Promise<Case[]> {
  const { person } = await addPerson(world, 'test')
  await world.fund(1_000)
  await send(`${server}/invoice-currencies`, { currencies: ['USD'] })
  const [redeemed, lost] = [await issue(), await issue()]
  const reserved = { voucherCode: (await issue()).code, amount: 2 }
  const { data: hold } = await world.post<{ id: string }>(`${own}/voucher-holds`, { ...reserved, amount: 4 })
  const money = { amount: 1, currency: 'USD' }
  const payout = { amount: 1, fromCurrencyAbbreviation: 'USD', toCurrencyAbbreviation: 'USD' }
  const to = { platformUsernameOrEmail: person.username }
  const item = { description: 'Work', quantity: 1, unitPrice: 5 }
  const who = { email: 'ivy@shop.example', fullName: 'Ivy', merchantCode: world.ours.code }
  const dates = { invoiceDate: '2030-01-01', dueDate: '2030-01-31' }
  const invoice = { currencyAbbreviation: 'USD', ...dates, ...who, invoiceItems: [item] }
  const csv = 'code,balance\nOLD-CARD-0001,5.00\n'
  const trial = await world.post<Trial>(`${server}/voucher-imports`, { csv, currency: 'USD' })
  const { confirmation } = trial.data.trial
  const imported = { csv, currency: 'USD', confirmation }
  const rows = { csv: `recipient,amount\n${person.username ?? ''},1\n`, currency: 'USD' }
  const checked = await world.post<{ check: { confirmation: string } }>(`${server}/payout-batches`, rows)
  const file = { ...rows, confirmation: checked.data.check.confirmation }
  const redemption = { voucherCode: redeemed.code, amount: 2 }
  const request = { ...money, user_identifier: person.username }
  const hook = { url: 'https://shop.example/hooks' }
  const lostPath = `${server}/vouchers/${lost.id}/replace`
  const sale = { ...money, tender: 'cash' }
  const sellOne = async () =>
    (await world.post<{ sale: { id: string }; voucher: { code: string } }>(`${server}/voucher-sales`, sale)).data
  const [undone, reloaded, returned] = [await sellOne(), await sellOne(), await sellOne()]
  const reload = { voucherCode: reloaded.voucher.code, amount: 1, tender: 'cash' }
  const cashBack = { voucherCode: returned.voucher.code, tender: 'cash' }
  return [
    { path: `${server}/vouchers`, body: money, other: { ...money, amount: 2 } },
    { path: '/sandbox/vouchers', body: money, other: { ...money, amount: 2 } },
    { path: '/sandbox/fund', body: money, other: { ...money, amount: 2 } },
    { path: `${server}/voucher-batches`, body: { ...money, size: 2 }, other: { ...money, size: 3 } },
    { path: `${server}/voucher-cards`, body: { currency: 'USD', size: 2 }, other: { currency: 'USD', size: 3 } },
    { path: `${server}/voucher-sales`, body: sale, other: { ...sale, amount: 2 } },
    { path: `${server}/voucher-reloads`, body: reload, other: { ...reload, amount: 2 } },
    { path: `${server}/voucher-cash-backs`, body: cashBack, other: { ...cashBack, tender: 'card' } },
    {
      path: `${server}/voucher-sales/${undone.sale.id}/void`,
      body: {},
      other: { registerId: undone.sale.id },
      template: `${server}/voucher-sales/{id}/void`,
    },
    { path: `${server}/voucher-imports`, body: imported, other: { ...money, size: 3 } },
    { path: lostPath, body: {}, other: { lockPin: '1234' }, template: `${server}/vouchers/{id}/replace` },
    { path: `${own}/redeem-voucher`, body: redemption, other: { ...redemption, amount: 3 } },
    { path: `${own}/voucher-holds`, body: reserved, other: { ...reserved, amount: 3 } },
    {
      path: `${server}/voucher-holds/${hold.id}/capture`,
      body: { amount: 1 },
      other: { amount: 2 },
      template: `${server}/voucher-holds/{id}/capture`,
    },
    { path: `${own}/payment-request`, body: request, other: { ...request, amount: 2 } },
    { path: `${server}/payout`, body: { ...payout, ...to }, other: { ...payout, ...to, amount: 2 } },
    { path: `${server}/payout-batches`, body: file, other: { ...file, currency: 'EUR' } },
    { path: `${server}/payment-links`, body: money, other: { ...money, amount: 2 } },
    { path: `${server}/create-invoice`, body: invoice, other: { ...invoice, fullName: 'Ivo' } },
    {
      path: `${server}/add-new-customer`,
      body: { email: 'a@shop.example', name: 'Ada' },
      other: { email: 'b@shop.example', name: 'Ada' },
    },
    { path: '/webhook-endpoints', body: hook, other: { ...hook, description: 'Other' } },
  ]
}

/** The rows of all tables that hold what a POST creates. */
async function countRows(): Promise<Record<string, number>> {
  const pool = createPool(ownerUrl, 1)
  const tables = [
    'vouchers',
    'voucher_batches',
    'voucher_sales',
    'transactions',
    'invoices',
    'customers',
    'webhook_endpoints',
    'payouts',
    'payout_batches',
    'payout_rows',
    'voucher_holds',
    'voucher_hold_captures',
  ]
  const counts: Record<string, number> = {}
  for (const table of [...tables, 'ledger_journals', 'ledger_outbox', 'mails'])
    counts[table] = (await pool.query(`select from ${table}`)).rowCount ?? -1
  await pool.end()
  return counts
}

test('every endpoint of the document with an Idempotency-Key is tested here, except deposits, which need a network', () => {
  type Operation = { parameters?: { $ref?: string }[] }
  const { paths = {} } = world.app.swagger() as unknown as { paths?: Record<string, { post?: Operation }> }
  const keyed = Object.entries(paths).flatMap(([path, { post }]) =>
    (post?.parameters ?? []).some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey') ? [path] : [],
  )
  const tested = [...cases.map(({ path, template }) => template ?? path), `${own}/deposit-address-payment-request`]
  expect(keyed.toSorted()).toEqual(tested.toSorted())
})

test('two equal requests with one key create one object and return the same answer; another body is refused with 409', async () => {
  for (const { path, body, other } of cases) {
    const key = world.newId()
    const first = await send(path, body, key)
    expect(first.status, `${path} ${first.text}`).toBe(200)
    const before = await countRows()
    const second = await send(path, body, key)
    expect([second.status, second.text], path).toEqual([200, first.text])
    expect(second.headers['idempotent-replayed'], path).toBe('true')
    // The confirmation of an import fits one file only: another file is refused before its key is read.
    if (path.endsWith('voucher-imports')) continue
    const refused = await send(path, other, key)
    expect(refused.status, `${path} ${refused.text}`).toBe(409)
    expect(refused.body, path).toMatchObject({
      error: { code: 'REFERENCE_TAKEN', param: 'Idempotency-Key' },
    })
    expect(await countRows(), path).toEqual(before)
  }
})

test('20 concurrent requests with one key add one customer, and 20 others one webhook endpoint', async () => {
  const bodies = { [`${server}/add-new-customer`]: { email: 'c@shop.example', name: 'Cy' } }
  for (const [path, body] of Object.entries({ ...bodies, '/webhook-endpoints': { url: 'https://shop.example/two' } })) {
    const before = await countRows()
    const key = world.newId()
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(path, body, key)))
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, path).toBe(1)
    expect(replies[0]?.status, path).toBe(200)
    const after = await countRows()
    const table = path === '/webhook-endpoints' ? 'webhook_endpoints' : 'customers'
    expect((after[table] ?? 0) - (before[table] ?? 0), path).toBe(1)
    expect((after.ledger_journals ?? 0) - (before.ledger_journals ?? 0), path).toBe(1)
  }
})

test('a key of one merchant says nothing to another, and without a key each request creates an object', async () => {
  const key = world.newId()
  const hook = { body: { url: 'https://shop.example/three' }, headers: { 'idempotency-key': key } }
  const ids = new Set<string>()
  for (const as of [world.ours, world.theirs]) {
    const { text } = await world.call('POST', '/webhook-endpoints', { ...hook, as })
    ids.add((JSON.parse(text) as { data: { endpoint: { id: string } } }).data.endpoint.id)
  }
  for (let i = 0; i < 2; i++) {
    const { text } = await send('/webhook-endpoints', { url: 'https://shop.example/four' })
    ids.add((JSON.parse(text) as { data: { endpoint: { id: string } } }).data.endpoint.id)
  }
  expect(ids.size).toBe(4)
})

test('the ledger balances', async () => {
  const pool = createPool(ownerUrl, 1)
  expect(await verifyLedger(pool)).toEqual([])
  await pool.end()
})
