// Compares dumps of two databases: created from the baseline, and upgraded from a populated one at 0023. Their schema must be the
// same, and the ledger must have the rows that it had. Databases in other states must be refused and left as they are.
//   DATABASE_URL=postgresql://postgres@127.0.0.1/postgres npm run drill -- schema
// Needs an administrator's connection, and pg_dump of the same version as the server.
import { execFileSync } from 'node:child_process'
import { isDeepStrictEqual } from 'node:util'
import { applyOldMigrations, insertOldRows, readOldMigrations } from '../../server/local/test/database-0023.ts'
import { atDatabase, dropDatabase, ensureDatabase, schemaFolder } from '../../server/local/parts/database.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { connect, type Db } from '../../server/src/base/db.ts'
import { migrate } from '../../server/src/base/migrate.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'

const adminUrl = process.env.DATABASE_URL
if (adminUrl === undefined) throw new Error('Set DATABASE_URL to the address of a PostgreSQL, as an administrator.')
const admin = adminUrl
const names = ['schema_new', 'schema_upgraded', 'schema_0022', 'schema_0024'] as const
const urlOf = (name: string): string => atDatabase(admin, name, 'scrip_owner')
let faults = 0

function check(claim: string, holds: boolean): void {
  if (!holds) faults++
  console.log(`${holds ? 'ok   ' : 'FAULT'} ${claim}`)
}

/** A dump without what differs between any two dumps, and without the records of migrations. */
function dump(name: string, ...options: string[]): string[] {
  const text = execFileSync('pg_dump', [...options, '-T', 'schema_migrations', '-d', atDatabase(admin, name)], {
    maxBuffer: 2 ** 28,
  })
  return text
    .toString()
    .split('\n')
    .filter((line) => !/^\\(un)?restrict |^-- Dumped /.test(line))
}

const isSame = isDeepStrictEqual
const schemaOf = (name: string): string[] => dump(name, '--schema-only')
/** The rows of the ledger, in the columns that it had at 0023. */
const ledgerTables = ['ledger_books', 'ledger_accounts', 'ledger_journals', 'ledger_transfers', 'ledger_holds'] as const
function rowsOfLedger(name: string): Promise<unknown> {
  return inDatabase(name, (db) =>
    Promise.all(
      ledgerTables.map(async (table) => (await db.query<object>(`select * from ${table} order by 1, 2, 3`)).rows),
    ),
  )
}

async function inDatabase<T>(name: string, work: (db: Db) => Promise<T>): Promise<T> {
  const client = await connect(urlOf(name))
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function expectRefusal(name: string): Promise<void> {
  const records = (): Promise<unknown> =>
    inDatabase(
      name,
      async (db) => (await db.query<Record<string, unknown>>('select * from schema_migrations order by name')).rows,
    )
  const earlier = [dump(name), await records()]
  const error: unknown = await migrate(urlOf(name), schemaFolder, systemClock).catch((reason: unknown) => reason)
  const message = error instanceof Error ? error.message : 'it was migrated'
  check(`${name} is refused: ${message}`, message.startsWith('This database cannot be upgraded'))
  check(`${name} is as it was`, isSame([dump(name), await records()], earlier))
}

for (const name of names) await dropDatabase(admin, name)
const old = readOldMigrations()
await ensureDatabase(admin, 'schema_new')
await migrate(urlOf('schema_new'), schemaFolder, systemClock)
await ensureDatabase(admin, 'schema_upgraded')
await applyOldMigrations(urlOf('schema_upgraded'), old)
await insertOldRows(urlOf('schema_upgraded'))
const earlierRows = await rowsOfLedger('schema_upgraded')
await migrate(urlOf('schema_upgraded'), schemaFolder, systemClock)
const lines = schemaOf('schema_new').length
check(`the same ${lines} lines of schema`, isSame(schemaOf('schema_upgraded'), schemaOf('schema_new')))
check('the same rows in the ledger', isSame(await rowsOfLedger('schema_upgraded'), earlierRows))
check('the upgraded ledger has no fault', isSame(await inDatabase('schema_upgraded', verifyLedger), []))

await ensureDatabase(admin, 'schema_0022')
await applyOldMigrations(urlOf('schema_0022'), old.slice(0, 22))
await expectRefusal('schema_0022')
await ensureDatabase(admin, 'schema_0024')
await applyOldMigrations(urlOf('schema_0024'), [
  ...old,
  { name: '0024-prices.sql', sql: 'select 1', checksum: 'another' },
])
await expectRefusal('schema_0024')

for (const name of names) await dropDatabase(admin, name)
console.log(`schema lines=${lines} faults=${faults}`)
if (faults > 0) process.exitCode = 1
