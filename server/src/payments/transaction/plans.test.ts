import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { connect } from '../../base/db.ts'

const past = 20_000
const batch = 50
const shop = '01900000-0000-7000-8000-000000000001'
const id = (prefix: string): string => `('${prefix}-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`

const journals = (prefix: string, count: number): string =>
  `insert into ledger_journals (id, key_hash, fingerprint, kind, alternative, posted_at)
    select ${id(prefix)}, reference_key('${shop}', '${prefix}-' || n), ${id(prefix)}, 'test', 0, '2026-01-01'
    from generate_series(1, ${count}) n`

test('new payments look up their own keys and journals among 20,000, whatever PostgreSQL knows of the tables', async () => {
  const { ownerUrl } = await createTestDatabase()
  const owner = await connect(ownerUrl)
  for (const statement of [
    `insert into ledger_books (mode, currency) values ('test', 'USD')`,
    `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
      select 1, '${shop}', kind, kind <> 'merchant' from unnest('{merchant,treasury}'::ledger_account_kind[]) kind`,
    journals('01910000', past),
    'vacuum analyze',
    'begin',
    // As a batch of the ledger does.
    'set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan',
    journals('01920000', batch),
    `insert into transactions (environment_id, id, reference, type, status, book_id, amount, charged, charge_type, metadata, created_at)
      select '${shop}', ${id('01920000')}, '01920000-' || n, 'ADJUSTMENT', 'COMPLETED', 1, 1, 1, 'NONE', '', '2026-01-01'
      from generate_series(1, ${batch}) n`,
    `insert into ledger_transfers (journal_id, position, book_id, from_kind, to_kind, from_owner, to_owner, amount)
      select ${id('01920000')}, 0, 1, 'treasury', 'merchant', '${shop}', '${shop}', 1 from generate_series(1, ${batch}) n`,
  ])
    await owner.query(statement)

  const { rows } = await owner.query<{ read: bigint }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as read from pg_stat_xact_user_tables
      where relname like 'ledger\\_keys%' or relname like 'ledger\\_journals%'`,
  )
  expect(Number(rows[0]?.read)).toBeGreaterThanOrEqual(batch)
  expect(Number(rows[0]?.read)).toBeLessThanOrEqual(3 * batch)
  await owner.query('rollback')
  await owner.end()
}, 60_000)
