import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { isAtPredecessor, readPredecessor, refuseOtherPredecessors } from './adopt-baseline.ts'
import type { Clock } from './clock.ts'
import { connect } from './db.ts'
import { execute } from './sql.ts'

type SqlFile = { name: string; sql: string }
type Applied = { name: string; checksum: string }
type Migration = SqlFile & Applied

/** Files that are run and recorded in one transaction. */
type Step = { name: string; files: SqlFile[]; records: Applied[]; replacesRecords: boolean }

// An arbitrary number, the same in every process: it keeps two servers from migrating at the same time.
const migrationLock = 7_263_101

/**
 * Brings a database to the schema of `folder`: the new files of migrations/ in order, each in its own transaction, then all files of
 * sql/ in one transaction if any of them has changed. Returns the names of what was applied. There are no down migrations.
 */
export async function migrate(url: string, folder: string, clock: Clock): Promise<string[]> {
  const client = await connect(url)
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await ensureRoles(client)
    const steps = planSteps(folder, await readApplied(client))
    for (const step of steps) await apply(client, step, clock)
    return steps.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

function planSteps(folder: string, applied: Map<string, string>): Step[] {
  const migrations = readMigrations(join(folder, 'migrations'))
  const sql = readRepeatable(join(folder, 'sql'))
  const predecessor = readPredecessor(join(folder, 'migrations'))
  if (predecessor !== undefined) {
    if (isAtPredecessor(predecessor, applied)) {
      const later = migrations.slice(predecessor.baselineSize)
      const files = [predecessor.upgrade, ...later, ...sql.files]
      return [
        { name: predecessor.upgrade.name, files, records: [...migrations, ...sql.records], replacesRecords: true },
      ]
    }
    refuseOtherPredecessors(predecessor, applied)
  }
  refuseDrift(migrations, applied)
  const pending = migrations.filter(({ name }) => !applied.has(name))
  const steps = pending.map((file) => ({ name: file.name, files: [file], records: [file], replacesRecords: false }))
  const isChanged = sql.records.some(({ name, checksum }) => applied.get(name) !== checksum)
  return isChanged ? [...steps, sql] : steps
}

function readMigrations(folder: string): Migration[] {
  return readSqlFiles(folder).map((migration, index) => {
    const number = String(index + 1).padStart(4, '0')
    if (!migration.name.startsWith(`${number}-`))
      throw new Error(`Migrations are numbered without gaps: ${migration.name} should begin with ${number}-`)
    return migration
  })
}

/** Functions, views, triggers and policies. One record has the checksum of all files. */
function readRepeatable(folder: string): Step {
  const files = readSqlFiles(folder).map((file) => ({ ...file, name: `sql/${file.name}` }))
  const checksum = checksumOf(files.map((file) => `${file.name} ${file.checksum}\n`).join(''))
  return { name: 'sql', files, records: [{ name: 'sql', checksum }], replacesRecords: false }
}

function readSqlFiles(folder: string): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  return names.map((name) => {
    const sql = readFileSync(join(folder, name), 'utf8')
    return { name, sql, checksum: checksumOf(sql) }
  })
}

const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The checksums of what was applied, by name. Creates nothing: a database that is refused stays as it is. */
async function readApplied(client: pg.Client): Promise<Map<string, string>> {
  const { rowCount } = await client.query(`select from pg_tables where tablename = 'schema_migrations'
    and schemaname = any(current_schemas(false))`)
  if (rowCount === 0) return new Map()
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  return new Map(rows.map((row) => [row.name, row.checksum]))
}

function refuseDrift(migrations: Migration[], applied: Map<string, string>): void {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  for (const [name, checksum] of applied) {
    if (name === 'sql') continue
    if (!known.has(name))
      throw new Error(`The database has migration ${name}, which this version does not know. Is the database newer?`)
    if (known.get(name) !== checksum)
      throw new Error(`Migration ${name} was changed after it was applied. Write a new one instead.`)
  }
}

async function apply(client: pg.Client, { name, files, records, replacesRecords }: Step, clock: Clock): Promise<void> {
  let running = name
  try {
    await client.query('begin')
    await client.query(`create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null)`)
    for (const file of files) {
      running = file.name
      await client.query(file.sql)
    }
    if (replacesRecords) await client.query('delete from schema_migrations')
    for (const record of records)
      await execute(client)`
        insert into schema_migrations (name, checksum, applied_at) values (${record.name}, ${record.checksum}, ${clock()})
        on conflict (name) do update set checksum = excluded.checksum, applied_at = excluded.applied_at`
    await client.query('commit')
  } catch (error) {
    throw new Error(`Migration ${running} failed: ${error instanceof Error ? error.message : String(error)}`, {
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
