import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, type Pool } from '../../src/base/db.ts'
import { systemRandom } from '../../src/base/random.ts'
import { readConfig } from '../../src/config.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { createDemoWorld } from './demo.ts'
import { createTestDatabase } from '../test/test-database.ts'

// A Friday afternoon in Lagos, because the random events depend on the weekday.
const until = new Date('2026-11-13T15:40:00Z')
const period = { days: 8, until }
const pools: Pool[] = []
let [pool, other]: Pool[] = []

async function createDemo(): Promise<Pool> {
  const { url, operatorUrl, ownerUrl } = await createTestDatabase()
  const config = readConfig({
    DATABASE_URL: url,
    OPERATOR_DATABASE_URL: operatorUrl,
    KEY_PEPPER: systemRandom(32).toString('hex'),
    KEY_RING: `1:${systemRandom(32).toString('hex')}`,
    WEBHOOK_NETWORKS: '127.0.0.1/32',
  })
  await createDemoWorld(config, period)
  const made = createPool(ownerUrl, 1)
  pools.push(made)
  return made
}

beforeAll(async () => {
  ;[pool, other] = await Promise.all([createDemo(), createDemo()])
})
afterAll(() => Promise.all(pools.map((each) => each.end())))

async function read<T extends Record<string, unknown>>(text: string, from = pool): Promise<T[]> {
  if (from === undefined) throw new Error('There is no world.')
  return (await from.query<T>(text)).rows
}
async function count(from: string): Promise<number> {
  return Number((await read(`select count(*) as n from ${from}`))[0]?.n)
}

test('the ledger of the demo balances', async () => {
  if (pool !== undefined) expect(await verifyLedger(pool)).toEqual([])
})

test('every type and status of a payment occurs, in three currencies', async () => {
  const found = await read('select distinct type, status from transactions')
  expect(found.map(({ type, status }) => `${String(type)} ${String(status)}`)).toEqual(
    expect.arrayContaining([
      ...['VOUCHER_REDEMPTION COMPLETED', 'VOUCHER_REDEMPTION REFUNDED', 'VOUCHER_PURCHASE COMPLETED'],
      ...['PAYMENT_REQUEST COMPLETED', 'PAYMENT_REQUEST FAILED', 'PAYMENT_REQUEST CANCELED', 'REFUND COMPLETED'],
      ...['PAYOUT COMPLETED', 'PAYOUT CANCELED', 'PAYOUT PENDING', 'INVOICE_PAYMENT COMPLETED'],
    ]),
  )
  const currencies = await read(
    `select distinct b.currency from transactions t join ledger_books b on b.id = t.book_id where t.type = 'VOUCHER_REDEMPTION'`,
  )
  expect(currencies.map(({ currency }) => currency).sort()).toEqual(['EUR', 'NGN', 'USD'])
})

test('every voucher state occurs, and some work is pending', async () => {
  for (const one of [
    'voucher_pins where wrong_in_all >= 10',
    "ledger_accounts where kind = 'voucher' and state = 'no_debit'",
    "ledger_accounts where kind = 'voucher' and state = 'closed'",
    'vouchers where replaced_by is not null',
    "ledger_journals where kind = 'voucher.expiry'",
    "vouchers where recipient_kind = 'email'",
    'voucher_batches where exported_at is not null',
    'voucher_batches where exported_at is null',
    "invoices where status = 'Pending'",
    'outflows where ended_at is null',
    "webhook_endpoints where status = 'disabled' or failing_since is not null",
  ])
    expect(await count(one), one).toBeGreaterThan(0)
  expect(await count('voucher_batches where finished_at is null')).toBe(0)
  expect(await count('mails')).toBeLessThan(12)
})

test('each cashier sells, and so do API keys', async () => {
  const sellers = await read(`
    select coalesce(u.email, 'keys') as by from merchant_members m join users u on u.id = m.user_id
      where m.role = 'cashier' and exists (select from transactions t where t.member_id = u.id and t.type = 'VOUCHER_REDEMPTION')`)
  expect(sellers).toHaveLength(4)
  expect(await count(`transactions where type = 'VOUCHER_REDEMPTION' and member_id is null`)).toBeGreaterThan(0)
})

test('nothing happens in the future, or before the shop existed', async () => {
  const times = await read<{ first: Date; last: Date }>(`
    select min(at) as first, max(at) as last from (
      select created_at as at from transactions union all select updated_at from transactions
      union all select posted_at from ledger_journals union all select created_at from ledger_outbox) times`)
  const [shop] = await read<{ at: Date }>('select min(created_at) as at from merchants')
  expect(times[0]?.last.getTime()).toBeLessThanOrEqual(until.getTime())
  expect(times[0]?.first.getTime()).toBeGreaterThanOrEqual(shop?.at.getTime() ?? Infinity)
})

test('two histories are equal', async () => {
  const sums = `select type, status, count(*) from transactions group by type, status order by type, status`
  expect(await read(sums, other)).toEqual(await read(sums))
})
