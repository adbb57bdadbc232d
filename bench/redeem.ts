// Redemptions over real HTTP against one API process, compared with pgbench and with a server that posts each redemption
// in a transaction of its own, in one run, on one PostgreSQL from npm with fsync on.
//   npm run bench -- redeem [short]
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cloneTemplate, createTemplate } from '../server/local/parts/database.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { systemRandom } from '../server/src/base/random.ts'
import { readConfig } from '../server/src/config.ts'
import { hasWrk, type HttpLoad, openLoad, type RequestText, requestText, wrkLoad } from './http-load.ts'
import { readProcessor, shareSince } from './processor.ts'
import { hasPgbench, pgbenchRate } from './pgbench.ts'
import { median } from './post-load.ts'
import { checkRatios } from './thresholds.ts'
import { createVoucherWorld, merchants, requestBodies } from './voucher-world.ts'

/** Documented: 1.73 to 1.78 times the rate of the bare SQL function, 4.3 on one hot merchant, 5 times unbatched posting. */
const ratiosMin = { bare: 0.9, hot: 2.2, unbatched: 2.2 }
const isShort = process.argv.includes('short')
const [rounds, seconds, vouchers] = isShort ? [1, 3, 20_000] : [3, 8, 100_000]
const port = 18_080 + Math.floor(Math.random() * 1_000)

const postgres = await startPostgres({ settings: { shared_buffers: '2GB', max_wal_size: '8GB' } })
const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
const environment = {
  DATABASE_URL: url,
  KEY_PEPPER: systemRandom(32).toString('hex'),
  KEY_RING: `1:${systemRandom(32).toString('hex')}`,
  PORT: String(port),
  REQUESTS_PER_MINUTE: '1000000',
  KEY_REQUESTS_PER_MINUTE: '1000000',
  LOG_LEVEL: 'warn',
}
const world = await createVoucherWorld(ownerUrl, readConfig(environment), vouchers)
const requestsOf = (merchantOf: (i: number) => number): RequestText[] =>
  requestBodies(world, 50_000, merchantOf).map(({ merchant, body }) => {
    const shop = world.shops[merchant - 1]
    const headers = {
      Authorization: `Bearer ${shop?.publicKey}`,
      'X-API-Private-Key': shop?.secretKey ?? '',
      'Content-Type': 'application/json',
    }
    return requestText('127.0.0.1', headers, body)
  })
const spread = requestsOf((i) => 1 + ((i * 104_729) % merchants))
const hot = requestsOf(() => 1)

const folder = mkdtempSync(join(tmpdir(), 'scrip-bench-'))
const script = (name: string, merchant: string): string => {
  const text = `\\set m ${merchant}\n\\set v random(1, ${vouchers})\nselect bench_redeem(:m, :v);\n`
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const bare = script('bare.sql', `random(1, ${merchants})`)
const bareHot = script('hot.sql', '1')

async function withServer<T>(mode: 'batched' | 'unbatched', work: () => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'redeem-server.ts'), mode], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  try {
    return await work()
  } finally {
    await stop(child)
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const isOver = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await isOver
}

/** A closed loop with wrk. Without wrk, an open loop at a fixed rate, which shows only that requests succeed. */
const load = (requests: readonly RequestText[], connections: number): Promise<HttpLoad> =>
  hasWrk ? wrkLoad(port, requests, connections, seconds) : openLoad(port, requests, 1_000, seconds)

const runs = { few: [] as HttpLoad[], many: [] as HttpLoad[], hot: [] as HttpLoad[], unbatched: [] as HttpLoad[] }
const rates = { bare: [] as number[], bareHot: [] as number[] }
const half: HttpLoad[] = []
const processorShares: { idle: number; stolen: number }[] = []
for (let round = 1; round <= rounds; round++) {
  if (hasPgbench) rates.bare.push(await pgbenchRate(ownerUrl, seconds, '-f', bare))
  await withServer('batched', async () => {
    await wrkWarmUp()
    runs.few.push(await load(spread, 64))
    runs.many.push(await load(spread, 256))
    runs.hot.push(await load(hot, 256))
    const before = readProcessor()
    half.push(await openLoad(port, spread, Math.floor(perSecond(runs.many) / 2), seconds))
    processorShares.push(shareSince(before))
  })
  if (hasPgbench) rates.bareHot.push(await pgbenchRate(ownerUrl, seconds, '-f', bareHot))
  await withServer('unbatched', async () => {
    await wrkWarmUp()
    runs.unbatched.push(await load(spread, 256))
  })
  console.log(`round ${round} of ${rounds} done`)
}
await postgres.stop()

const failed = [...Object.values(runs).flat(), ...half].reduce((sum, run) => sum + run.failed, 0)
if (failed > 0) console.log(`FAULT ${failed} requests were refused`)
const lines: [string, number][] = [
  ['bare function, pgbench, 8 clients', median(rates.bare)],
  ['bare function, one hot merchant', median(rates.bareHot)],
  ['HTTP, 64 connections', perSecond(runs.few)],
  ['HTTP, 256 connections', perSecond(runs.many)],
  ['HTTP, 256 connections, one hot merchant', perSecond(runs.hot)],
  ['HTTP, 256 connections, a transaction each', perSecond(runs.unbatched)],
]
for (const [label, value] of lines) console.log(label.padEnd(44), Math.round(value).toString().padStart(7), '/s')

const format = (value: number, digits = 2): string =>
  Number.isFinite(value) && value > 0 ? value.toFixed(digits) : 'absent'
const middle = (of: HttpLoad[], pick: (run: HttpLoad) => number): number => median(of.map(pick))

// Client, API and PostgreSQL share the cores: the idle share shows how far the latency is theirs.
const percentOf = (pick: (one: { idle: number; stolen: number }) => number): string =>
  format(100 * median(processorShares.map(pick)), 0)
console.log(
  `open loop at half of that rate: p50 ${format(
    middle(half, (run) => run.p50Ms),
    1,
  )} ms, p99 ${format(
    middle(half, (run) => run.p99Ms),
    1,
  )} ms,` +
    ` CPU idle ${percentOf(({ idle }) => idle)} %, taken by other machines ${percentOf(({ stolen }) => stolen)} %`,
)

const ratios = {
  bare: perSecond(runs.many) / median(rates.bare),
  hot: perSecond(runs.hot) / median(rates.bareHot),
  unbatched: perSecond(runs.many) / perSecond(runs.unbatched),
}
const isFastEnough =
  !hasWrk ||
  checkRatios('redeem', [
    { name: 'ratio_bare', ratio: ratios.bare, min: ratiosMin.bare },
    { name: 'ratio_hot', ratio: ratios.hot, min: ratiosMin.hot },
    { name: 'ratio_unbatched', ratio: ratios.unbatched, min: ratiosMin.unbatched },
  ])
console.log(
  `redeem http_per_s=${format(perSecond(runs.many), 0)} bare_per_s=${format(median(rates.bare), 0)}` +
    ` ratio_bare=${format(ratios.bare)}` +
    ` ratio_hot=${format(ratios.hot)}` +
    ` ratio_unbatched=${format(ratios.unbatched)}` +
    ` p50_ms=${format(
      middle(runs.few, (run) => run.p50Ms),
      1,
    )} p99_ms=${format(
      middle(runs.few, (run) => run.p99Ms),
      1,
    )}` +
    ` half_load_p99_ms=${format(
      middle(half, (run) => run.p99Ms),
      1,
    )}`,
)
process.exit(failed === 0 && isFastEnough ? 0 : 1)

function perSecond(of: HttpLoad[]): number {
  return median(of.map((run) => run.perSecond))
}

/** A new process spends its first seconds on compiling. */
function wrkWarmUp(): Promise<HttpLoad> {
  return hasWrk ? wrkLoad(port, spread, 64, 2) : openLoad(port, spread, 500, 2)
}
