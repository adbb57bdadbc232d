// Posts into a small ledger and into one with 10,000,000 accounts and 20,000,000 transfers in the parts of two years, alternating, on
// one PostgreSQL from npm with fsync on, then archives the older year and checks the ledger. The data fits in memory: this measures
// the depth of indexes, not disks.
//   npm run bench -- ledger-size [short]
import { cloneTemplate, createTemplate } from '../server/local/parts/database.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { systemClock } from '../server/src/base/clock.ts'
import { connect, createPool } from '../server/src/base/db.ts'
import { archiveParts } from '../server/src/ledger/archive.ts'
import { verifyLedger } from '../server/src/ledger/verify.ts'
import { median, runPostLoad } from './post-load.ts'
import { createRedemptionWorld, growRedemptionWorld } from './redemption-world.ts'
import { checkRatios } from './thresholds.ts'

/** Below 0.5 one primary is not enough; what is there today loses at most a tenth. */
const ratioMin = process.argv.includes('short') ? 0.5 : 0.9
const isShort = process.argv.includes('short')
const [rounds, seconds, large] = isShort ? [1, 3, 100_000] : [5, 10, 10_000_000]
const small = 10_000
// The first change of each page after the checkpoint that ends the loading writes the whole page to the log, and the large ledger has
// more pages: without these rounds, the first two of five were 0.54 and 0.69.
const warmUps = isShort ? 0 : 2

// The settings that docs/operate/scale.md advises. Compressed page images matter most: in a large ledger nearly every
// journal is the first since a checkpoint to change its pages.
const settings = { shared_buffers: '6GB', max_wal_size: '16GB', checkpoint_timeout: '30min', wal_compression: 'on' }
const postgres = await startPostgres({ settings })
const dividedAt = new Date(Date.now() - 720 * 86_400_000)
const template = await createTemplate(postgres.adminUrl, () => dividedAt)
const [smallWorld, largeWorld] = [
  await cloneTemplate(postgres.adminUrl, template),
  await cloneTemplate(postgres.adminUrl, template),
]
for (const { ownerUrl } of [smallWorld, largeWorld]) await addQuarters(ownerUrl)
await createRedemptionWorld(smallWorld.ownerUrl, small)
await createRedemptionWorld(largeWorld.ownerUrl, small)
const startMs = performance.now()
await growRedemptionWorld(postgres.adminUrl, largeWorld.ownerUrl, small, large, (done) =>
  console.log(`loaded ${done} of ${large} vouchers, ${Math.round((performance.now() - startMs) / 1_000)} s`),
)

type Written = { bytes: number; walBytes: number; journals: number; rows: number; indexWrites: number }

/** What the database has written so far. */
async function readWritten(ownerUrl: string): Promise<Written> {
  const client = await connect(ownerUrl)
  const { rows } = await client.query<Record<keyof Written, bigint>>(`
    select sum(pg_total_relation_size(s.relid)) as bytes, pg_current_wal_lsn() - '0/0' as "walBytes",
      sum(s.n_tup_ins) filter (where s.relname like 'ledger_journals_p%') as journals, sum(s.n_tup_ins + s.n_tup_upd) as rows,
      sum((s.n_tup_ins + s.n_tup_upd - s.n_tup_hot_upd) * (select count(*) from pg_index i where i.indrelid = s.relid)) as "indexWrites"
    from pg_stat_user_tables s`)
  await client.end()
  const row = rows[0]
  if (row === undefined) throw new Error('no statistics')
  return {
    bytes: Number(row.bytes),
    walBytes: Number(row.walBytes),
    journals: Number(row.journals),
    rows: Number(row.rows),
    indexWrites: Number(row.indexWrites),
  }
}

async function readBytesPerAccount(ownerUrl: string): Promise<number> {
  const client = await connect(ownerUrl)
  const { rows } = await client.query<{ bytes: bigint }>(
    `select pg_total_relation_size('ledger_accounts') / (select count(*) from ledger_accounts) as bytes`,
  )
  await client.end()
  return Number(rows[0]?.bytes)
}

/** Those of the two years, and of the next half-year. */
async function addQuarters(ownerUrl: string): Promise<void> {
  const owner = await connect(ownerUrl)
  await owner.query('select add_parts($1, 10)', [dividedAt])
  await owner.end()
}

/** Archives what is older than a year, and checks the ledger before and after. */
async function archiveOlderYear(): Promise<void> {
  const pool = createPool(largeWorld.ownerUrl, 1)
  const before = new Date(Date.now() - 365 * 86_400_000)
  const seconds = async (work: () => Promise<unknown>): Promise<string> => {
    const startMs = performance.now()
    await work()
    return ((performance.now() - startMs) / 1_000).toFixed(1)
  }
  let faults: string[] = []
  const check = async (): Promise<void> => void (faults = [...faults, ...(await verifyLedger(pool))])
  const verified = await seconds(check)
  let parts: string[] = []
  const archived = await seconds(async () => {
    parts = await archiveParts(largeWorld.ownerUrl, before, { clock: systemClock, report: () => undefined })
  })
  const verifiedAfter = await seconds(check)
  await pool.end()
  for (const fault of faults.slice(0, 5)) console.log(`FAULT ${fault}`)
  if (faults.length > 0 || parts.length === 0) process.exitCode = 1
  console.log(
    `archived ${parts.join(', ')} in ${archived} s; checked in ${verified} s before and ${verifiedAfter} s after`,
  )
}

const rates = { small: [] as number[], large: [] as number[] }
const written = { bytes: 0, walBytes: 0, journals: 0, rows: 0, indexWrites: 0 }
for (let round = 1 - warmUps; round <= rounds; round++) {
  const isWarmUp = round < 1
  const smallRate = (await runPostLoad(smallWorld.url, small, false, seconds)).perSecond
  const before = await readWritten(largeWorld.ownerUrl)
  const largeRate = (await runPostLoad(largeWorld.url, large, false, seconds)).perSecond
  // Statistics arrive about a second after the session has ended.
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const after = await readWritten(largeWorld.ownerUrl)
  const title = isWarmUp ? 'warm-up' : `round ${round} of ${rounds}`
  console.log(`${title}: ${Math.round(smallRate)} /s small, ${Math.round(largeRate)} /s large`)
  if (isWarmUp) continue
  rates.small.push(smallRate)
  rates.large.push(largeRate)
  for (const name of Object.keys(written) as (keyof Written)[]) written[name] += after[name] - before[name]
}
await archiveOlderYear()
const bytesPerAccount = await readBytesPerAccount(largeWorld.ownerUrl)
await postgres.stop()

const each = (value: number): number => value / written.journals
console.log(`stored per account, including its index: ${Math.round(bytesPerAccount)} bytes`)
console.log(`rows written per journal, including updates: ${each(written.rows).toFixed(1)}`)
// The two of a round ran one after the other. Other work on the machine changes from round to round.
const ratio = median(rates.large.map((rate, round) => rate / (rates.small[round] ?? NaN)))
if (!checkRatios('ledger-size', [{ name: 'ratio', ratio, min: ratioMin }])) process.exitCode = 1
console.log(
  `ledger-size ratio=${ratio.toFixed(2)} bytes_per_journal=${each(written.bytes).toFixed(0)}` +
    ` wal_per_journal=${each(written.walBytes).toFixed(0)} index_writes=${each(written.indexWrites).toFixed(1)}`,
)
