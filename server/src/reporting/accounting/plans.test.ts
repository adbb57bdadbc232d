import { expect, test } from 'vitest'
import { createApiWorld } from '../../../local/test/api-world.ts'
import { makeManyPayments } from '../../../local/test/many-payments.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { systemClock } from '../../base/clock.ts'
import { createPool } from '../../base/db.ts'
import type { Owner } from '../../http/caller.ts'
import { readCurrencies } from '../../catalogue/currency/store.ts'
import { exportJournals } from './export-journals.ts'
import { extendReports } from './jobs.ts'
import { readBalance, readVoucherBalance } from './read-balance.ts'
import { readFees } from './read-fees.ts'
import { readLiability } from './read-liability.ts'
import { readStatement } from './read-statement.ts'
import { readTotals } from './read-totals.ts'

const total = 20_000
const dayMs = 86_400_000
const lowest = '00000000-0000-0000-0000-000000000000'

test('reports read a limited number of rows of a large ledger, whatever their period', async () => {
  const { url, ownerUrl } = await createTestDatabase()
  const world = await createApiWorld(url)
  // Nothing is left to be read from the ledger: its last journal is older than an hour.
  const until = new Date(Date.now() - 3 * 3_600_000)
  const { environmentId, merchantId } = world.ours
  const own: Owner = { environmentId, merchantId, mode: 'test' }
  const people = [world.newId()]
  await makeManyPayments(ownerUrl, { total, environmentId, members: people, people, until, hasJournals: true })
  while (await extendReports(world.pool, systemClock)) continue
  const pool = createPool(url, 1)
  const stats = createPool(ownerUrl, 1)
  await stats.query('analyze account_days, account_entries')
  await stats.query('vacuum account_entries')

  const rowsRead = async () => {
    await pool.query('select pg_stat_force_next_flush()')
    const { rows } = await stats.query<{ scans: bigint; read: bigint }>(
      `select sum(case when n_live_tup > 1000 then seq_scan else 0 end)::bigint as scans,
        sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as read from pg_stat_user_tables`,
    )
    return { scans: Number(rows[0]?.scans), read: Number(rows[0]?.read) }
  }
  const faults: string[] = []
  const look = async (name: string, most: number, work: () => Promise<unknown>): Promise<void> => {
    const before = await rowsRead()
    await work()
    const after = await rowsRead()
    const [scans, read] = [after.scans - before.scans, after.read - before.read]
    if (scans > 0 || read > most) faults.push(`${name}: ${scans} tables read whole, ${read} rows`)
  }
  const at = new Date()
  const day = (back: number): string => new Date(at.getTime() - back * dayMs).toISOString().slice(0, 10)
  const quarter = { from: day(80), until: day(5) }
  const statement = { ...quarter, account: 'balance', currency: 'USD', limit: 50 } as const

  // 90 days with a few sums each.
  await look('liability', 2_000, () => readLiability(pool, own, quarter, at))
  await look('fees', 1_000, () => readFees(pool, own, quarter, at))
  await look('totals', 4_000, () => readTotals(pool, own, quarter, at))
  await look('statement', 1_500, () => readStatement(pool, own, { ...statement, after: lowest }, at))
  const { next } = await readStatement(pool, own, { ...statement, after: lowest }, at)
  await look('statement, next page', 1_500, () => readStatement(pool, own, { ...statement, after: next }, at))
  await look('statement of another currency', 1_000, () =>
    readStatement(pool, own, { ...statement, currency: 'EUR', after: lowest }, at),
  )
  const balance = { account: 'balance', currency: 'USD', at: new Date(at.getTime() - 40 * dayMs) } as const
  await look('balance', 1_500, () => readBalance(pool, own, balance, at))
  const { rows } = await stats.query<{ id: string }>('select id from vouchers order by id desc limit 1')
  await look('balance of a voucher', 300, () => readVoucherBalance(pool, own, rows[0]?.id ?? '', at))
  const catalogue = await readCurrencies(pool)
  const { readPage } = await exportJournals(pool, own, catalogue, quarter, at)
  await look('a page of the export', 25_000, () => readPage(undefined))
  expect(faults).toEqual([])

  // The check itself detects a full scan.
  const before = await rowsRead()
  await pool.query('select count(*) from ledger_transfers where amount = 1')
  expect((await rowsRead()).read - before.read).toBeGreaterThan(total)
  await pool.end()
  await stats.end()
  await world.close()
}, 300_000)
