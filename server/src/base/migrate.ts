import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import type { Clock } from './clock.ts'
import { connect } from './db.ts'
import { execute } from './sql.ts'

type Migration = { name: string; sql: string; checksum: string }

// An arbitrary number, the same in every process: it keeps two servers from migrating at the same time.
const migrationLock = 7_263_101

/** Applies the new migrations in `folder` in order, each in its own transaction. There are no down migrations. */
export async function migrate(url: string, folder: string, clock: Clock): Promise<string[]> {
  const client = await connect(url)
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await ensureRoles(client)
    await client.query(`create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null)`)
    const applied = await readApplied(client)
    const migrations = readMigrations(folder)
    refuseDrift(migrations, applied)
    const pending = migrations.filter(({ name }) => !applied.has(name))
    for (const migration of pending) await apply(client, migration, clock)
    return pending.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  return names.map((name, index) => {
    if (!name.startsWith(`${String(index + 1).padStart(4, '0')}-`))
      throw new Error(
        `Migrations are numbered without gaps: ${name} should begin with ${String(index + 1).padStart(4, '0')}-`,
      )
    const sql = readFileSync(join(folder, name), 'utf8')
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
}

async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  return new Map(rows.map((row) => [row.name, row.checksum]))
}

function refuseDrift(migrations: Migration[], applied: Map<string, string>): void {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  for (const [name, checksum] of applied) {
    if (!known.has(name))
      throw new Error(`The database has migration ${name}, which this version does not know. Is the database newer?`)
    if (known.get(name) !== checksum)
      throw new Error(`Migration ${name} was changed after it was applied. Write a new one instead.`)
  }
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration, clock: Clock): Promise<void> {
  await client.query('begin')
  try {
    await client.query(sql)
    await execute(client)`
      insert into schema_migrations (name, checksum, applied_at) values (${name}, ${checksum}, ${clock()})`
    await client.query('commit')
  } catch (error) {
    throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

const roles = ['scrip_server', 'scrip_operator', 'scrip_chain']

/** Checks the roles that migrations grant to: the server, the operator's commands and the chain reader. They own nothing. */
async function ensureRoles(client: pg.Client): Promise<void> {
  for (const role of roles) {
    const { rowCount } = await client.query(`select from pg_roles where rolname = $1`, [role])
    if (rowCount !== 1)
      throw new Error(
        `The role ${role} is missing. As an administrator of PostgreSQL: create role ${role} login password …`,
      )
    const { rows } = await client.query<{ isMember: boolean }>(
      `select pg_has_role($1, 'scrip_server', 'member') as "isMember"`,
      [role],
    )
    if (rows[0]?.isMember !== true)
      throw new Error(
        `The role ${role} lacks privileges. As an administrator of PostgreSQL: grant scrip_server to ${role}`,
      )
  }
}
