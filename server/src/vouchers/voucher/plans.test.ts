import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { createPool, inTransaction } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { listRedemptions, readHistory } from './history-store.ts'
import { findVouchers, listOwnVouchers, lockVoucher } from './store.ts'

const total = 200_000
const id = (prefix: string, n: string): string => `('${prefix}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
const id1 = '01910000-0000-7000-8000-000000000001'
const shop = '01900000-0000-7000-8000-000000000001'

test('lists and lookups read few rows among 200,000 vouchers', async () => {
  const { url, ownerUrl } = await createTestDatabase()
  const owner = createPool(ownerUrl, 1)
  const pool = createPool(url, 1)
  for (const statement of [
    `insert into merchants (id, code, company_name, home_currency, time_zone, created_at)
      select ${id('01920000', 'n')}, 'SHOP' || n, 'Shop', 'USD', 'UTC', '2026-01-01' from generate_series(1, 10) n`,
    `insert into merchant_environments (id, merchant_id, mode)
      select ${id('01900000', 'n')}, ${id('01920000', 'n')}, 'test' from generate_series(1, 10) n`,
    `insert into ledger_books (mode, currency) values ('test', 'USD')`,
    // The first shop owns every second voucher of the older half, so its newest come after many of other shops.
    `insert into vouchers select ${id('01900000', `case when n % 2 = 0 and n < ${total / 2} then 1 else 2 + n % 9 end`)},
      ${id('01910000', 'n')}, 1, 100, true, 'nobody', '', '{}', null, 1, md5(n::text)::uuid, '\\x00', '2026-01-01'
      from generate_series(1, ${total}) n`,
    `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
      select 1, ${id('01910000', 'n')}, 'voucher', false from generate_series(1, ${total}) n`,
    `insert into redemptions (voucher_id, id, environment_id, amount, charge, charged_to, created_at)
      select ${id('01910000', '1')}, ${id('01930000', 'n')}, '${shop}', 1, 0, 'voucher', '2026-01-01'
      from generate_series(1, ${total}) n`,
    'vacuum analyze',
  ])
    await owner.query(statement)

  const rowsRead = async (): Promise<number> => {
    await pool.query('select pg_stat_force_next_flush()')
    const { rows } = await owner.query<{ n: bigint }>(
      'select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as n from pg_stat_user_tables',
    )
    return Number(rows[0]?.n)
  }
  const readBy = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await rowsRead()
    await work()
    return (await rowsRead()) - before
  }
  const page = (before: string) =>
    withEnvironment(pool, shop, (tx) => listOwnVouchers(tx, shop, { before, limit: 10 }, new Date()))
  expect(await readBy(() => page('ffffffff-ffff-ffff-ffff-ffffffffffff'))).toBeLessThan(200)
  expect(await readBy(() => page('01910000-0000-7000-8000-00000000c000'))).toBeLessThan(200)
  expect(await page('01910000-0000-7000-8000-00000000c000')).toHaveLength(10)
  const hashes = await owner.query<{ h: string }>('select code_hash as h from vouchers limit 100')
  const codes = hashes.rows.map(({ h }) => [h, h])
  const nobody = '00000000000000000000000000000000'
  const ofTwoKeys = hashes.rows.map(({ h }) => [nobody, nobody, nobody, h])
  for (const each of [codes, ofTwoKeys]) {
    expect((await findVouchers(pool, each, new Date())).size).toBe(100)
    expect(await readBy(() => findVouchers(pool, each, new Date()))).toBeLessThan(1_500)
  }
  expect(await readBy(() => inTransaction(pool, (tx) => lockVoucher(tx, id1, new Date())))).toBeLessThan(100)
  expect(await readBy(() => readHistory(pool, id1, 100))).toBeLessThan(500)
  await owner.query(`update vouchers set expires_at = '2026-01-02'`)
  expect(await readBy(() => pool.query(`select * from due_vouchers('2026-02-01', '{}', 100)`))).toBeLessThan(1_000)
  expect(await readBy(() => listRedemptions(pool, id1, 100))).toBeLessThan(500)
  await pool.end()
  await owner.end()
}, 120_000)
