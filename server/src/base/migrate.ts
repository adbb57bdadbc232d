import { join } from 'node:path'
import type pg from 'pg'
import { isAtPredecessor, readPredecessor, refuseOtherPredecessors } from './adopt-baseline.ts'
import type { Clock } from './clock.ts'
import { connect, type Connection } from './db.ts'
import { type Migration, readMigrations, readRepeatable, type Repeatable, type Step } from './migration-file.ts'
import { refusePooler } from './pooler.ts'
import { runBatches, runConcurrently, runInTransaction, type StepTools } from './run-step.ts'
import { execute, selectValue, sql } from './sql.ts'

type Applied = ReadonlyMap<string, string>
type MigrateOptions = {
  /** Also removes what only processes of the previous release use. */
  readonly contract?: boolean
  /** Receives lines about the progress. */
  readonly report?: (line: string) => void
}

// An arbitrary number, the same in every process: it keeps two servers from migrating at the same time.
const migrationLock = 7_263_101

/**
 * Brings a database to the schema of `folder` while servers of this release and the one before it are at work: the new files of
 * migrations/ in order, step by step, then all files of sql/ if any of them has changed. Returns the names of what was applied. A
 * migration that was interrupted continues at the step that it had reached. There are no down migrations.
 */
export async function migrate(
  url: string,
  folder: string,
  clock: Clock,
  { contract = false, report = () => undefined }: MigrateOptions = {},
): Promise<string[]> {
  await refusePooler(url, 'migration')
  const client = await connect(url)
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await ensureRoles(client)
    const tools = { client, clock, report }
    const adopted = await adoptPredecessor(tools, folder)
    // A database of the predecessor has no server that could go on.
    const applied = await applyPending(tools, folder, contract || adopted.length > 0)
    return [...adopted, ...applied]
  } finally {
    await client.end()
  }
}

async function applyPending(tools: StepTools, folder: string, contract: boolean): Promise<string[]> {
  const migrations = readMigrations(join(folder, 'migrations'))
  const repeatable = readRepeatable(join(folder, 'sql'))
  const applied = await readApplied(tools.client)
  refuseDrift(migrations, applied)
  const pending = selectPending(migrations, applied, contract)
  const isChanged = applied.get('sql') !== repeatable.checksum
  if (pending.length > 0 || isChanged) await runInTransaction(tools, 'records', () => tools.client.query(createRecords))
  for (const migration of pending) await applyMigration(tools, migration)
  if (isChanged) await applyRepeatable(tools, repeatable)
  return [...pending.map(({ name }) => name), ...(isChanged ? ['sql'] : [])]
}

/**
 * Contracts at the end wait until they are asked for, because processes of the previous release may still run. One that a later
 * migration follows belongs to an earlier upgrade, and a new database has no other processes.
 */
function selectPending(migrations: readonly Migration[], applied: Applied, contract: boolean): Migration[] {
  const pending = migrations.filter(({ name }) => !applied.has(name))
  if (contract || applied.size === 0) return pending
  return pending.slice(0, pending.findLastIndex(({ isContract }) => !isContract) + 1)
}

/** The checksums of what was applied, by name. Creates nothing: a database that is refused stays as it is. */
async function readApplied(client: pg.Client): Promise<Applied> {
  const { rowCount } = await client.query(`select from pg_tables where tablename = 'schema_migrations'
    and schemaname = any(current_schemas(false))`)
  if (rowCount === 0) return new Map()
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  return new Map(rows.map((row) => [row.name, row.checksum]))
}

function refuseDrift(migrations: Migration[], applied: Applied): void {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  for (const [name, checksum] of applied) {
    if (name === 'sql') continue
    if (!known.has(name))
      throw new Error(`The database has migration ${name}, which this version does not know. Is the database newer?`)
    if (known.get(name) !== checksum)
      throw new Error(`Migration ${name} was changed after it was applied. Write a new one instead.`)
  }
}

/** The server compares these records with the schema that it needs: see schema-version.ts. */
const createRecords = `
  create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null);
  alter table schema_migrations add column if not exists is_contract boolean not null default false;
  create table if not exists schema_steps (
    migration text, step integer, cursor text, is_done boolean not null, primary key (migration, step));
  grant select on schema_migrations to scrip_server`

async function applyMigration(tools: StepTools, migration: Migration): Promise<void> {
  const { name, steps } = migration
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1
    const startMs = performance.now()
    const wasRun = await applyStep(tools, migration, step, index, isLast).catch((error: unknown) => {
      throw failed(name, error)
    })
    if (wasRun && steps.length > 1) tools.report(`${name}: ${step.title}, ${secondsSince(startMs)} s`)
  }
}

function secondsSince(startMs: number): string {
  return ((performance.now() - startMs) / 1_000).toFixed(1)
}

/** Returns false if the step was done by an earlier run. The last step is recorded in the same transaction as the migration. */
async function applyStep(
  tools: StepTools,
  migration: Migration,
  step: Step,
  index: number,
  isLast: boolean,
): Promise<boolean> {
  const { client } = tools
  const known = await client.query<{ cursor: string | null; is_done: boolean }>(
    'select cursor, is_done from schema_steps where migration = $1 and step = $2',
    [migration.name, index],
  )
  if (known.rows[0]?.is_done === true) return false
  const keep = (cursor: string | null, isDone: boolean): Promise<unknown> =>
    execute(client)`
      insert into schema_steps (migration, step, cursor, is_done) values (${migration.name}, ${index}, ${cursor}, ${isDone})
        on conflict (migration, step) do update set cursor = excluded.cursor, is_done = excluded.is_done`
  const finish = (): Promise<unknown> => (isLast ? record(tools, migration) : keep(null, true))
  if (step.kind === 'transaction') {
    await runInTransaction(tools, step.title, async () => {
      await client.query(step.sql)
      await finish()
    })
    return true
  }
  if (step.kind === 'concurrently') await runConcurrently(tools, step)
  else
    await runBatches(tools, step, {
      cursor: known.rows[0]?.cursor ?? '',
      keep: (cursor) => keep(cursor, false),
    })
  await runInTransaction(tools, step.title, finish)
  return true
}

async function record({ client, clock }: StepTools, { name, checksum, isContract }: Migration): Promise<void> {
  await client.query('delete from schema_steps where migration = $1', [name])
  await execute(client)`
    insert into schema_migrations (name, checksum, applied_at, is_contract) values (${name}, ${checksum}, ${clock()}, ${isContract})`
}

/** Each file in its own transaction, so that none keeps the tables of all others locked. Every statement can be repeated. */
async function applyRepeatable(tools: StepTools, { files, checksum }: Repeatable): Promise<void> {
  const { client, clock } = tools
  for (const { name, sql } of files)
    await runInTransaction(tools, name, () => client.query(sql)).catch((error: unknown) => {
      throw failed(name, error)
    })
  await execute(client)`
    insert into schema_migrations (name, checksum, applied_at) values ('sql', ${checksum}, ${clock()})
      on conflict (name) do update set checksum = excluded.checksum, applied_at = excluded.applied_at`
}

/** Takes over a database that ran the migrations which the baseline replaced. Returns what it applied. */
async function adoptPredecessor(tools: StepTools, folder: string): Promise<string[]> {
  const predecessor = readPredecessor(join(folder, 'migrations'))
  if (predecessor === undefined) return []
  const applied = await readApplied(tools.client)
  if (!isAtPredecessor(predecessor, applied)) {
    refuseOtherPredecessors(predecessor, applied)
    return []
  }
  const { client } = tools
  const { upgrade, baselineSize } = predecessor
  const baseline = readMigrations(join(folder, 'migrations')).slice(0, baselineSize)
  await runInTransaction(tools, upgrade.name, async () => {
    await client.query(createRecords)
    await client.query(upgrade.sql)
    await client.query('delete from schema_migrations')
    for (const migration of baseline) await record(tools, migration)
  }).catch((error: unknown) => {
    throw failed(upgrade.name, error)
  })
  return [upgrade.name]
}

function failed(name: string, error: unknown): Error {
  return new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  })
}

const roles = ['scrip_server', 'scrip_operator', 'scrip_chain']

/** Checks the roles that migrations grant to: the server, the operator's commands and the chain reader. They own nothing. */
async function ensureRoles(client: Connection): Promise<void> {
  for (const role of roles) {
    const { rowCount } = await client.query(`select from pg_roles where rolname = $1`, [role])
    if (rowCount !== 1)
      throw new Error(
        `The role ${role} is missing. As an administrator of PostgreSQL: create role ${role} login password …`,
      )
    const isMember = await selectValue(client)`select ${sql.boolean`pg_has_role(${role}, 'scrip_server', 'member')`}`
    if (isMember !== true)
      throw new Error(
        `The role ${role} lacks privileges. As an administrator of PostgreSQL: grant scrip_server to ${role}`,
      )
  }
}
