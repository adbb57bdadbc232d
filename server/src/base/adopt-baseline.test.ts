import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { atDatabase, schemaFolder } from '../../local/parts/database.ts'
import { applyOldMigrations, insertOldRows, readOldMigrations } from '../../local/test/database-0023.ts'
import { describeSchema } from '../../local/test/describe-schema.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { systemClock } from './clock.ts'
import { connect, type Connection } from './db.ts'
import { migrate } from './migrate.ts'

const old = readOldMigrations()
let url: string
let databases = 0

beforeEach(async () => {
  const name = `scrip_adopt_${process.pid}_${databases++}`
  await onDatabase(inject('adminUrl'), async (admin) => {
    await admin.query(`drop database if exists ${name}`)
    await admin.query(`create database ${name} owner scrip_owner`)
  })
  url = atDatabase(inject('adminUrl'), name, 'scrip_owner')
})

async function onDatabase<T>(databaseUrl: string, work: (client: Connection) => Promise<T>): Promise<T> {
  const client = await connect(databaseUrl)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const run = (): Promise<string[]> => migrate(url, schemaFolder, systemClock)
const query = (sql: string, databaseUrl = url): Promise<unknown[]> =>
  onDatabase(databaseUrl, async (client) => (await client.query<Record<string, unknown>>(sql)).rows)

const accounts = 'select * from ledger_accounts order by owner_id, kind, book_id'
const templateUrl = (): string => atDatabase(inject('adminUrl'), inject('template'), 'scrip_owner')

describe('a database at 0023', () => {
  test('gets the schema and the records of a new database, and the same ledger', async () => {
    await applyOldMigrations(url, old)
    await insertOldRows(url)
    const before = await query(accounts)
    const later = readdirSync(join(schemaFolder, 'migrations')).filter((name) => name > '0018' && name.endsWith('.sql'))
    expect(await run()).toEqual(['from-0023/upgrade.sql', ...later, 'sql'])
    expect(await onDatabase(url, describeSchema)).toEqual(await onDatabase(templateUrl(), describeSchema))
    const records = 'select name, checksum from schema_migrations order by name'
    expect(await query(records)).toEqual(await query(records, templateUrl()))
    expect(await query(accounts)).toEqual(before)
    expect(await onDatabase(url, verifyLedger)).toEqual([])
    expect(await run()).toEqual([])
  })

  test('keeps its limits, waiting payouts, fundings and bookings under the new rules', async () => {
    await applyOldMigrations(url, old)
    await insertOldRows(url)
    await run()
    expect(await query('select approval_above, daily, new_recipient_hours from outflow_rules')).toEqual([
      { approval_above: 1000n, daily: 90000n, new_recipient_hours: 48 },
    ])
    expect(await query('select kind, reference, amount, needs_approval, is_approved, ended_at from outflows')).toEqual([
      {
        kind: 'payout',
        reference: 'SALARY-1',
        amount: 1500n,
        needs_approval: true,
        is_approved: false,
        ended_at: null,
      },
    ])
    expect(await query('select amount, posted_by from ledger_fundings order by amount')).toEqual([
      { amount: 100000n, posted_by: 'before this rule' },
      { amount: 2000000000000000000n, posted_by: 'before this rule' },
    ])
    expect(await query('select amount, undone_by from chain_bookings')).toEqual([
      { amount: 2000000000000000000n, undone_by: null },
    ])
    expect(await query('select from chain_payments where priced_at = seen_at')).toHaveLength(1)
    expect(await query('select lane from chain_sends')).toEqual([{ lane: 'sweep' }])
    expect(await query('select deposit_tolerance_ppm as ppm from merchant_environments order by mode')).toEqual([
      { ppm: 1000 },
      { ppm: 2500 },
    ])
    expect(await query(`select from user_sessions where expires_at = '2026-01-02T12:00:00Z'`)).toHaveLength(1)
    expect(await query(`select from currencies where desk_limit = 3e19 and abbreviation = 'ETH'`)).toHaveLength(1)
  })

  test('is left as it was if the upgrade fails', async () => {
    await applyOldMigrations(url, old)
    // The upgrade creates this table, after it has changed others.
    await query(`create table wallet_quotes (id uuid)`)
    const before = await snapshot()
    await expect(run()).rejects.toThrow(
      'Migration from-0023/upgrade.sql failed: relation "wallet_quotes" already exists',
    )
    expect(await snapshot()).toEqual(before)
  })
})

async function snapshot(): Promise<unknown[]> {
  const records = await query('select name, checksum, applied_at::text from schema_migrations order by name')
  return [records, await query(accounts), await onDatabase(url, describeSchema)]
}

describe('any other database of the replaced migrations is refused and left as it is', () => {
  const record = `insert into schema_migrations values ($1, 'checksum', '2026-01-01T00:00:00Z')`
  const cases: [string, number, string, string][] = [
    ['at 0022', 22, '', '0023-dashboard.sql was not applied'],
    ['at 0001', 1, '', '0002-merchants.sql was not applied'],
    ['at 0024', 23, record.replace('$1', `'0024-prices.sql'`), '0024-prices.sql was applied after 0023'],
    [
      'at 0033',
      23,
      ['0024-prices.sql', '0033-onchain-vouchers.sql'].map((name) => record.replace('$1', `'${name}'`)).join(';'),
      '0024-prices.sql, 0033-onchain-vouchers.sql were applied after 0023',
    ],
    [
      'with a changed file',
      23,
      `update schema_migrations set checksum = 'changed' where name = '0005-charges.sql'`,
      '0005-charges.sql was another file when it was applied',
    ],
  ]
  test.each(cases)('%s', async (_, count, change, message) => {
    await applyOldMigrations(url, old.slice(0, count))
    if (count === 23) await insertOldRows(url)
    if (change !== '') await query(change)
    const before = await snapshot()
    await expect(run()).rejects.toThrow(`This database cannot be upgraded: ${message}. Nothing was changed.`)
    expect(await snapshot()).toEqual(before)
  })
})

test('a difference in a column, a privilege, a trigger or a function is seen', async () => {
  await run()
  const same = await onDatabase(url, describeSchema)
  expect(same).toEqual(await onDatabase(templateUrl(), describeSchema))
  const changes = [
    'alter table merchants alter column avatar drop default',
    'grant update (balance) on ledger_accounts to scrip_server',
    'alter table ledger_transfers disable trigger ledger_transfers_enter',
    'grant execute on function key_ring_use to public',
    'alter table vouchers force row level security',
    'alter table ledger_accounts set (fillfactor = 100)',
    'alter policy mails_of_environment on mails using (true)',
  ]
  for (const change of changes) {
    await query(change)
    const changed = await onDatabase(url, describeSchema)
    expect(changed, change).not.toEqual(same)
    same.splice(0, same.length, ...changed)
  }
})
