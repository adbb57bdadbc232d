// Compares posting with pgbench, alternating, in one run, on one PostgreSQL from npm with fsync on.
//   npm run bench -- ledger [short]
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atDatabase, cloneTemplate, createTemplate } from '../server/local/parts/database.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { connect } from '../server/src/base/db.ts'
import { barChart } from './chart.ts'
import { hasPgbench, pgbench, pgbenchRate } from './pgbench.ts'
import { callers, type LoadResult, median, runPostLoad } from './post-load.ts'
import { createRedemptionWorld, merchants } from './redemption-world.ts'
import { checkRatios } from './thresholds.ts'

/** Documented: batched posting is 3.3 times as fast as a transaction each, and 6.3 times on one hot merchant. */
const ratioMin = 1.6
const hotRatioMin = 3
const isShort = process.argv.includes('short')
const [rounds, seconds, vouchers] = isShort ? [1, 3, 20_000] : [5, 8, 200_000]

const postgres = await startPostgres({ settings: { shared_buffers: '2GB', max_wal_size: '8GB' } })
const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
await createRedemptionWorld(ownerUrl, vouchers)
const admin = await connect(postgres.adminUrl)
await admin.query('create database stock')
await admin.end()
const stockUrl = atDatabase(postgres.adminUrl, 'stock')
const folder = mkdtempSync(join(tmpdir(), 'scrip-bench-'))
const script = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const bare = script(
  'bare.sql',
  `\\set m random(1, ${merchants})\n\\set v random(1, ${vouchers})\nselect bench_redeem(:m, :v);\n`,
)
const bareHot = script('hot.sql', `\\set v random(1, ${vouchers})\nselect bench_redeem(1, :v);\n`)

const results = { stock: [] as number[], bare: [] as number[], bareHot: [] as number[] }
const posts: LoadResult[] = []
const hotPosts: LoadResult[] = []

if (hasPgbench) await pgbench(stockUrl, '-i', '-s', '50', '-q')
else console.log('pgbench is absent, so there is nothing to compare with. Install it with: apt-get install postgresql')
await runPostLoad(url, vouchers, false, 2)

for (let round = 1; round <= rounds; round++) {
  if (hasPgbench) results.stock.push(await pgbenchRate(stockUrl, seconds, '-N'))
  if (hasPgbench) results.bare.push(await pgbenchRate(url, seconds, '-f', bare))
  posts.push(await runPostLoad(url, vouchers, false, seconds))
  if (hasPgbench) results.bareHot.push(await pgbenchRate(url, seconds, '-f', bareHot))
  hotPosts.push(await runPostLoad(url, vouchers, true, seconds))
  console.log(`round ${round} of ${rounds} done`)
}
await postgres.stop()

const perSecond = (runs: LoadResult[]): number => median(runs.map((run) => run.perSecond))
const rates = [
  { label: '(a) stock pgbench -N, 8 clients', value: median(results.stock), note: '1 update, 1 insert' },
  { label: '(b) bare function, 8 clients', value: median(results.bare), note: 'the same journal, a transaction each' },
  { label: 'post (c)', value: perSecond(posts), note: `one process, ${callers} callers` },
  { label: '(d) bare, one hot merchant', value: median(results.bareHot), note: 'as (b)' },
  { label: 'post (e), one hot merchant', value: perSecond(hotPosts), note: 'as (c)' },
]
for (const { label, value, note } of rates)
  console.log(label.padEnd(34), Math.round(value).toString().padStart(7), '/s ', note)
if (!isShort && hasPgbench)
  writeFileSync(
    join(import.meta.dirname, '../docs/operate/ledger-throughput.svg'),
    barChart(
      'Journals per second, as a multiple of (a)',
      rates.map(({ label, value }) => ({ label, value, note: (value / median(results.stock)).toFixed(2) })),
    ),
  )

const ratio = perSecond(posts) / median(results.bare)
const hotRatio = perSecond(hotPosts) / median(results.bareHot)
const format = (value: number, digits = 0): string =>
  Number.isFinite(value) && value > 0 ? value.toFixed(digits) : 'absent'
const isFastEnough = checkRatios('ledger', [
  { name: 'ratio', ratio, min: ratioMin },
  { name: 'hot_ratio', ratio: hotRatio, min: hotRatioMin },
])
if (!isFastEnough) process.exitCode = 1
console.log(
  `ledger post_per_s=${format(perSecond(posts))} stock_per_s=${format(median(results.stock))} bare_per_s=${format(median(results.bare))}` +
    ` ratio=${format(ratio, 2)} hot_ratio=${format(hotRatio, 2)} p99_ms=${format(median(posts.map((run) => run.p99Ms)), 1)}`,
)
