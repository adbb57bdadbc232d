// A database as the migrations 0001 to 0023 left it, with rows, for the test of its upgrade.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../src/base/db.ts'

type OldMigration = { name: string; sql: string; checksum: string }

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')

export function readOldMigrations(): OldMigration[] {
  const [, ...files] = read('migrations-0023.sql').split(/^-- file /m)
  return files.map((file) => {
    const end = file.indexOf('\n')
    const sql = file.slice(end + 1)
    return { name: file.slice(0, end), sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
}

/** Applies and records these migrations, each in its own transaction, as the runner of that version did. */
export async function applyOldMigrations(ownerUrl: string, migrations: OldMigration[]): Promise<void> {
  const client = await connect(ownerUrl)
  try {
    await client.query(
      'create table schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null)',
    )
    for (const { name, sql, checksum } of migrations) {
      await client.query('begin')
      await client.query(sql)
      await client.query(`insert into schema_migrations values ($1, $2, '2026-01-01T00:00:00Z')`, [name, checksum])
      await client.query('commit')
    }
  } finally {
    await client.end()
  }
}

/** A merchant with money, a voucher, a waiting payout and a deposit. */
export async function insertOldRows(ownerUrl: string): Promise<void> {
  const client = await connect(ownerUrl)
  try {
    // One transaction: transfers belong to journals of the same one.
    await client.query(`begin; ${read('rows-0023.sql')} commit`)
  } finally {
    await client.end()
  }
}
