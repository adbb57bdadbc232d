// Brings a database with millions of payments from the previous release to this one, and makes one change of each kind, while API
// processes of the previous release redeem. As a control, it makes the same changes in one transaction.
//   npm run drill -- migrate [short]
import { cpSync, mkdtempSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiProcess, startApi } from '../../server/local/drill/api-process.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { migrateBy } from '../../server/local/parts/check-out.ts'
import { atDatabase, ensureDatabase, schemaFolder } from '../../server/local/parts/database.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { connect, type Connection, createPool, type Pool } from '../../server/src/base/db.ts'
import { hasCode } from '../../server/src/base/errors.ts'
import { migrate } from '../../server/src/base/migrate.ts'
import { readMigrations } from '../../server/src/base/migration-file.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { saveRule } from '../../server/src/catalogue/charge/store.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { insertPastPayments } from '../migrate/past-payments.ts'
import { checkOutPrevious } from '../previous-release.ts'
import { runParts } from '../run-parts.ts'
import { compareWith, type Load, longestGapMs, makeVouchers, startLoad } from '../steady-load.ts'
import { createShop, type Shop } from '../vouchers/world.ts'

const isShort = process.argv.includes('short')
const total = isShort ? 20_000 : 5_000_000
const perSecond = isShort ? 60 : 150
const gapMsMax = 1_000
// Long enough to show that payments stop.
const controlMsMax = 60_000

type World = {
  readonly adminUrl: string
  readonly pool: Pool
  readonly previous: string
  readonly settings: Record<string, string>
  readonly shop: Shop
  /** The migrations of this release, and one of each kind. */
  readonly folder: string
}

const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
const result = { gapMs: NaN, controlGapMs: NaN, lost: NaN, doubled: NaN, acked: 0, seconds: NaN }

await runParts(faults, stops, createWorld, [
  ['the old way, as a control', runControl],
  ['all migrations and one change of each kind, under load', runMigrations],
  ['this release on the new schema', runNewRelease],
])
const { gapMs, controlGapMs, lost, doubled, acked, seconds } = result
console.log(
  `migrate rows=${total} longest_gap_ms=${Math.round(gapMs)} lost=${lost} doubled=${doubled} acked=${acked} ` +
    `control_gap_ms=${Math.round(controlGapMs)} seconds=${Math.round(seconds)}`,
)
process.exit(faults.length === 0 ? 0 : 1)

function expect(holds: boolean, fault: string): void {
  if (!holds) faults.push(fault)
}

function urlOf(adminUrl: string, database: string, role: 'scrip_owner' | 'scrip_server'): string {
  return atDatabase(adminUrl, database, role)
}

async function createWorld(): Promise<World> {
  const settings = { shared_buffers: '1GB', max_wal_size: '8GB', wal_compression: 'on', autovacuum_max_workers: '2' }
  const postgres = await startPostgres({ settings })
  stops.push(postgres.stop)
  const { adminUrl } = postgres
  const previous = checkOutPrevious(stops)
  await ensureDatabase(adminUrl, 'scrip')
  const pepper = systemRandom(32)
  const api = drillSettings(urlOf(adminUrl, 'scrip', 'scrip_server'), pepper)
  await migrateBy(previous, { ...api, OWNER_DATABASE_URL: urlOf(adminUrl, 'scrip', 'scrip_owner') })
  console.log(`  inserting ${total} payments`)
  await insertPastPayments(adminUrl, 'scrip', total)
  const pool = createPool(urlOf(adminUrl, 'scrip', 'scrip_owner'))
  const shop = await createShop(pool, pepper, 'SHOP')
  await saveRule(pool, 'test', 'USD', { fixed: 10n, sharePpm: 15_000n })
  await pool.end()
  await connectAdmin(adminUrl, (admin) => admin('create database control template scrip owner scrip_owner'))
  const owner = createPool(urlOf(adminUrl, 'scrip', 'scrip_owner'), 2)
  stops.push(() => owner.end())
  return { adminUrl, pool: owner, previous, settings: api, shop, folder: folderWithEveryKind() }
}

async function connectAdmin(
  adminUrl: string,
  work: (run: (sql: string) => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const admin = await connect(adminUrl)
  await work((sql) => admin.query(sql)).finally(() => admin.end())
}

/** Two API processes of the previous release and shops that use them, while `work` runs. Returns the longest gap meanwhile. */
async function underLoad(
  { settings, previous, shop }: World,
  databaseUrl: string,
  work: () => Promise<void>,
): Promise<{ gapMs: number; load: Load; apis: ApiProcess[] }> {
  const own = { ...settings, DATABASE_URL: databaseUrl }
  const apis = [await startApi(own, 'all', previous), await startApi(own, 'api', previous)]
  const load = startLoad(apis, shop, { vouchers: await makeVouchers(apis, shop, 50), clients: 12, perSecond })
  try {
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    const startMs = performance.now()
    await work()
    const gap = longestGapMs(load, startMs)
    return { gapMs: gap, load, apis }
  } finally {
    await load.stop()
    for (const api of apis) await api.stop()
  }
}

/** The files of this release with a further migration, which comes before its contract: the previous release is still at work. */
function folderWithEveryKind(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-every-kind-'))
  stops.push(async () => rm(folder, { recursive: true }))
  for (const part of ['migrations', 'sql']) cpSync(join(schemaFolder, part), join(folder, part), { recursive: true })
  const migrations = join(folder, 'migrations')
  const contract = readMigrations(migrations).at(-1)
  if (contract?.isContract !== true) throw new Error('The last migration of this release is no contract.')
  const number = Number(contract.name.slice(0, 4))
  const named = (offset: number, name: string): string =>
    join(migrations, `${String(number + offset).padStart(4, '0')}-${name}`)
  renameSync(join(migrations, contract.name), named(1, contract.name.slice(5)))
  cpSync(join(import.meta.dirname, '../migrate/every-kind.sql'), named(0, 'every-kind.sql'))
  return folder
}

/** The same changes in one transaction, as a simple runner makes them. It is given up after a minute: payments have stopped. */
async function runControl(world: World): Promise<void> {
  const { adminUrl } = world
  const { gapMs: gap } = await underLoad(world, urlOf(adminUrl, 'control', 'scrip_server'), async () => {
    const client = await connect(urlOf(adminUrl, 'control', 'scrip_owner'))
    let isGivenUp = false
    const timer = setTimeout(() => {
      isGivenUp = true
      void client.end()
    }, controlMsMax)
    await migrateAtOnce(client, world.folder).catch((error: unknown) => {
      if (!isGivenUp) throw error
    })
    clearTimeout(timer)
    await client.end()
  })
  result.controlGapMs = gap
  await connectAdmin(adminUrl, (admin) => admin('drop database control with (force)'))
  expect(
    isShort || gap > gapMsMax,
    `the control stopped payments for ${Math.round(gap)} ms only, so the drill proves nothing`,
  )
}

async function migrateAtOnce(client: Connection, folder: string): Promise<void> {
  const { rows: records } = await client.query<{ name: string }>('select name from schema_migrations')
  const applied = new Set(records.map(({ name }) => name))
  const migrations = readMigrations(join(folder, 'migrations')).filter(({ name }) => !applied.has(name))
  await lockAllTables(client)
  await client.query(`select set_config('scrip.now', $1, true)`, [new Date().toISOString()])
  for (const { kind, sql } of migrations.flatMap(({ isContract, steps }) => (isContract ? [] : steps))) {
    const plain = sql.replaceAll('index concurrently', 'index')
    if (kind !== 'batches') {
      await client.query(plain)
      continue
    }
    let cursor: string | null = ''
    while (cursor !== null) {
      const values: string[] = [cursor]
      const { rows }: { rows: (string | null)[][] } = await client.query({ text: plain, values, rowMode: 'array' })
      cursor = rows[0]?.[0] ?? null
    }
  }
  await client.query('commit')
}

/** From the beginning, or the transaction would meet a payment half-way and end in a deadlock. */
async function lockAllTables(client: Connection): Promise<void> {
  const { rows } = await client.query<{ tables: string }>(
    `select string_agg(format('%I', tablename), ', ') as tables from pg_tables where schemaname = 'public'`,
  )
  for (;;) {
    await client.query('begin')
    try {
      await client.query(`lock table ${rows[0]?.tables}`)
      return
    } catch (error) {
      await client.query('rollback')
      if (!hasCode(error, '40P01')) throw error
    }
  }
}

async function runMigrations(world: World): Promise<void> {
  const { adminUrl, pool, shop, folder } = world
  const startMs = performance.now()
  const report = (line: string): void => console.log(`  ${line}`)
  const { gapMs: gap, load } = await underLoad(world, urlOf(adminUrl, 'scrip', 'scrip_server'), async () => {
    await migrate(urlOf(adminUrl, 'scrip', 'scrip_owner'), folder, systemClock, { report })
  })
  Object.assign(result, { gapMs: gap, seconds: (performance.now() - startMs) / 1_000, acked: load.acknowledged.length })
  Object.assign(result, await compareWith(pool, shop, load.acknowledged))
  console.log('  retries', load.retries)
  expect(gap <= gapMsMax, `payments stopped for ${Math.round(gap)} ms`)
  expect(result.lost + result.doubled === 0, `${result.lost} payments are lost, ${result.doubled} doubled`)
  for (const failure of load.refused.slice(0, 10)) faults.push(`a shop got ${failure}`)
}

async function runNewRelease({ adminUrl, pool, shop, settings, folder }: World): Promise<void> {
  const api = await startApi(settings, 'all')
  try {
    const vouchers = await makeVouchers([api], shop, 50)
    const load = startLoad([api], shop, { vouchers, clients: 12, perSecond, name: 'new' })
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    await load.stop()
    expect(load.acknowledged.length > 0, 'this release redeemed nothing')
    for (const failure of load.refused.slice(0, 10)) faults.push(`a shop of this release got ${failure}`)
  } finally {
    await api.stop()
  }
  await migrate(urlOf(adminUrl, 'scrip', 'scrip_owner'), folder, systemClock, { contract: true })
  faults.push(...(await verifyLedger(pool)))
}
