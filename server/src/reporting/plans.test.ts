import { expect, test } from 'vitest'
import { createApiWorld } from '../../local/test/api-world.ts'
import { makeManyPayments } from '../../local/test/many-payments.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { addMember, addPerson } from '../../local/test/visitor.ts'
import { createPool, type Tx } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { findBook } from '../ledger/book.ts'
import { listAttention } from './attention.ts'
import { readDays, readRange } from './days.ts'
import { sumByCashier, sumDays, sumSales } from './figures.ts'
import { findIssued } from './issued-store.ts'
import { listJournals, listRelated, listDeliveries } from './payment.ts'
import { findPayments, type PaymentFilter } from './payments-store.ts'
import { readSearch } from './search.ts'

const total = 60_000
const perDay = total / 90
const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

test('lists, searches and totals read a limited number of rows of large tables', async () => {
  const { url, ownerUrl } = await createTestDatabase()
  const world = await createApiWorld(url)
  const ada = await addPerson(world, 'test')
  const members = [(await addMember(world, world.ours, 'owner')).person.id, world.newId()]
  const until = new Date()
  const { environmentId, merchantId } = world.ours
  await makeManyPayments(ownerUrl, { total, environmentId, members, people: [ada.person.id], until })
  const pool = createPool(url, 1)
  const stats = createPool(ownerUrl, 1)

  const rowsRead = async () => {
    await pool.query('select pg_stat_force_next_flush()')
    const { rows } = await stats.query<{ scans: bigint; read: bigint }>(
      `select sum(case when n_live_tup > 1000 then seq_scan else 0 end)::bigint as scans,
        sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as read from pg_stat_user_tables`,
    )
    return { scans: Number(rows[0]?.scans), read: Number(rows[0]?.read) }
  }
  const readBy = async (work: (tx: Tx) => Promise<unknown>) => {
    const before = await rowsRead()
    await withEnvironment(pool, environmentId, work)
    const after = await rowsRead()
    return { scans: after.scans - before.scans, read: after.read - before.read }
  }
  const faults: string[] = []
  const look = async (name: string, most: number, work: (tx: Tx) => Promise<unknown>): Promise<void> => {
    const { scans, read } = await readBy(work)
    if (scans > 0 || read > most) faults.push(`${name}: ${scans} tables read whole, ${read} rows`)
  }
  const everything = await readRange(pool, merchantId, {})
  const page = (name: string, filter: PaymentFilter, range = everything) =>
    look(name, 3_500, (tx) => findPayments(tx, environmentId, range, filter, 50))

  await page('newest', {})
  await page('until', {}, { ...everything, below: (await readDays(pool, merchantId, until, 45))[0]?.from ?? '' })
  await page('rare type', { type: 'PAYOUT' })
  await page('rare status', { status: 'FAILED', type: 'PAYMENT_REQUEST' })
  await page('partial refunds', { status: 'PARTIALLY_REFUNDED' })
  await page('status of none', { status: 'PROCESSING' })
  const eur = await findBook(pool, 'test', 'EUR')
  await page('rare currency', { bookId: eur })
  await page('rare currency, common type', { bookId: eur, type: 'VOUCHER_REDEMPTION' })
  await page('cashier', { member: members[0] })
  await page('cashier, never', { member: members[0], type: 'ADJUSTMENT' })
  await page('keys', { member: 'api' })
  for (const typed of ['order-777', ada.person.email, '12345.67', '10', '7K2M', 'nothing-of-the-kind'])
    await page(`search ${typed}`, { oneOf: await readSearch(pool, 'test', typed) })
  await look('one payment', 200, async (tx) => {
    const { payments } = await findPayments(tx, environmentId, everything, { oneOf: [{ reference: 'order-91' }] }, 1)
    const [payment] = payments
    if (payment === undefined) throw new Error('A payment is missing.')
    await listJournals(tx, environmentId, payment, await listRelated(tx, environmentId, payment))
    await listDeliveries(tx, environmentId, payment)
  })

  const issued = (name: string, most: number, filter: Parameters<typeof findIssued>[2]) =>
    look(name, most, (tx) => findIssued(tx, environmentId, filter, highest, 50, until))
  await issued('vouchers', 500, {})
  await issued('vouchers by tail', 1_500, { search: '7K2M' })
  await issued('vouchers for', 200, { search: 'gift-400@example.com' })
  await issued('vouchers frozen', 500, { state: 'frozen' })
  await issued('vouchers blocked', 500, { state: 'blocked' })
  await issued('vouchers used', 3_500, { state: 'used' })

  // The first read computes the month; later reads only today.
  const days = await readDays(pool, merchantId, until, 30)
  expect((await readBy((tx) => sumDays(tx, environmentId, days, until))).read).toBeGreaterThan(20 * perDay)
  await look('days', 2 * perDay + 200, (tx) => sumDays(tx, environmentId, days, until))
  const [oneDay] = days
  if (oneDay === undefined) throw new Error('There are no days.')
  await look('day count', 1.1 * perDay + 200, (tx) => sumByCashier(tx, environmentId, oneDay, undefined))
  const [today] = await readDays(pool, merchantId, until, 1)
  await look('sales of a cashier', 1.1 * perDay + 200, (tx) =>
    sumSales(tx, environmentId, members[0] ?? '', today?.from ?? ''),
  )
  await look('attention', 200, (tx) => listAttention(tx, environmentId))
  expect(faults).toEqual([])

  // The check itself detects a full scan.
  const whole = await readBy((tx) => tx.query(`select count(*) from transactions where metadata = 'x'`))
  expect(whole.read).toBeGreaterThan(total / 2)
  await pool.end()
  await stats.end()
  await world.close()
}, 120_000)
