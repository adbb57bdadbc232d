// Redemptions over real HTTP against one API process, compared with pgbench and with a server that posts each redemption
// in a transaction of its own, in one run, on one PostgreSQL from npm with fsync on.
//   npm run bench -- redeem [short] [against=REVISION] [rate=N]
// With a revision, its server takes turns with this one before anything else is measured: each has a database of its own, and both
// databases have had the same requests. `rate` is that of the run in which API and PostgreSQL have a core each.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { checkOut, removeCheckOut } from '../server/local/parts/check-out.ts'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasWrk, type HttpLoad, openLoad, type RequestText, wrkLoad } from './http-load.ts'
import { hasPgbench, pgbenchRate } from './pgbench.ts'
import { median } from './post-load.ts'
import { type ApiProcess, measure, pin, type ServerMode, startApi, type Usage } from './redeem-process.ts'
import { addDatabaseOf, startRedeemWorld } from './redeem-world.ts'
import { checkRatios } from './thresholds.ts'
import { merchants } from './voucher-world.ts'

/** Below the documented ratios, which differ from machine to machine. */
const ratiosMin = { bare: 0.9, hot: 2.2, unbatched: 2.2 }
const isShort = process.argv.includes('short')
const revision = option('against')
const [rounds, seconds, vouchers] = isShort ? [1, 3, 20_000] : [4, 8, 100_000]
// Two rounds of the same release differ by a tenth.
const turns = 6
const pinnedRate = Number(option('rate') ?? 200)

if (!hasWrk) console.log('wrk is not installed: instead of as many as possible, 1,000 requests are sent per second')
const world = await startRedeemWorld(vouchers)
const { postgres, ownerUrl, port, environment, spread, hot } = world

const scripts = mkdtempSync(join(tmpdir(), 'scrip-bench-'))
const bare = pgbenchScript('bare.sql', `random(1, ${merchants})`)
const bareHot = pgbenchScript('hot.sql', '1')

type Measured = { readonly load: HttpLoad; readonly usage: Usage }
const runs: Record<
  'few' | 'many' | 'hot' | 'half' | 'pinned' | 'unbatched' | 'two' | 'own' | 'ownHalf' | 'other' | 'otherHalf',
  Measured[]
> = {
  ...{ few: [], many: [], hot: [], half: [], pinned: [], unbatched: [], two: [] },
  ...{ own: [], ownHalf: [], other: [], otherHalf: [] },
}
const rates = { bare: [] as number[], bareHot: [] as number[] }
const otherSources = revision === undefined ? undefined : checkOut(revision)
const otherEnvironment = otherSources === undefined ? environment : await addDatabaseOf(otherSources, world, vouchers)

if (otherSources !== undefined) await compareWith(otherSources)
for (let round = 1; round <= rounds; round++) {
  if (hasPgbench) rates.bare.push(await pgbenchRate(ownerUrl, seconds, '-f', bare))
  await measureOurs()
  if (hasPgbench) rates.bareHot.push(await pgbenchRate(ownerUrl, seconds, '-f', bareHot))
  await withApi({ mode: 'unbatched' }, async (api) => {
    runs.unbatched.push(await underLoad(api, () => load(spread, 256)))
  })
  await withApi({ mode: 'two' }, async (api) => {
    runs.two.push(await underLoad(api, () => load(spread, 256)))
  })
  if (availableParallelism() > 1) await measurePinned()
  console.log(`round ${round} of ${rounds} done`)
}
await postgres.stop()
if (otherSources !== undefined) removeCheckOut(otherSources)
process.exit(report() ? 0 : 1)

function option(name: string): string | undefined {
  return process.argv.find((argument) => argument.startsWith(`${name}=`))?.slice(name.length + 1)
}

function pgbenchScript(name: string, merchant: string): string {
  const text = `\\set m ${merchant}\n\\set v random(1, ${vouchers})\nselect bench_redeem(:m, :v);\n`
  writeFileSync(join(scripts, name), text)
  return join(scripts, name)
}

async function withApi(
  options: { readonly mode: ServerMode; readonly core?: number },
  work: (api: ApiProcess) => Promise<void>,
): Promise<void> {
  const api = await startApi({ environment, ...options })
  try {
    // A new process spends its first seconds on compiling.
    await (hasWrk ? wrkLoad(port, spread, 64, 2) : openLoad(port, spread, 500, 2))
    await work(api)
  } finally {
    await api.stop()
  }
}

/** A closed loop with wrk. Without wrk, an open loop at a fixed rate, which shows only that requests succeed. */
function load(requests: readonly RequestText[], connections: number, at = port): Promise<HttpLoad> {
  return hasWrk ? wrkLoad(at, requests, connections, seconds) : openLoad(at, requests, 1_000, seconds)
}

function underLoad(api: ApiProcess, run: () => Promise<HttpLoad>): Promise<Measured> {
  return measure({ api, databasePid: postgres.pid(), databaseUrl: ownerUrl }, run, ({ requests }) => requests)
}

function measureOurs(): Promise<void> {
  return withApi({ mode: 'batched' }, async (api) => {
    runs.few.push(await underLoad(api, () => load(spread, 64)))
    runs.many.push(await underLoad(api, () => load(spread, 256)))
    runs.hot.push(await underLoad(api, () => load(hot, 256)))
    const half = Math.floor(perSecond(runs.many) / 2)
    runs.half.push(await underLoad(api, () => openLoad(port, spread, half, seconds)))
  })
}

/** Both run all the time: starting costs a process more than the difference that is looked for. */
async function compareWith(sources: string): Promise<void> {
  const otherPort = port + 1
  await withApi({ mode: 'batched' }, async (own) => {
    const other = await startApi({
      mode: 'batched',
      sources,
      environment: { ...otherEnvironment, PORT: String(otherPort) },
    })
    for (const warmUpPort of [port, otherPort, port, otherPort]) await load(spread, 64, warmUpPort)
    for (let turn = 1; turn <= turns; turn++) {
      const measureOwn = (): Promise<void> => measureTurn(own, port, runs.own, runs.ownHalf)
      const measureOther = (): Promise<void> => measureTurn(other, otherPort, runs.other, runs.otherHalf)
      for (const measureOne of turn % 2 === 1 ? [measureOther, measureOwn] : [measureOwn, measureOther]) {
        await measureOne()
      }
      console.log(`turn ${turn} of ${turns} done`)
    }
    await other.stop()
  })
}

async function measureTurn(api: ApiProcess, at: number, whole: Measured[], halves: Measured[]): Promise<void> {
  whole.push(await underLoad(api, () => load(spread, 256, at)))
  const half = Math.floor(perSecond(whole) / 2)
  halves.push(await underLoad(api, () => openLoad(at, spread, half, seconds)))
}

/** API and PostgreSQL on a core each: their latency without waiting for each other's turn on a core. The client uses what is left. */
async function measurePinned(): Promise<void> {
  await withApi({ mode: 'batched', core: 0 }, async (api) => {
    pin(postgres.pid(), 1)
    runs.pinned.push(await underLoad(api, () => openLoad(port, spread, pinnedRate, seconds)))
    pin(postgres.pid(), 'all')
  })
}

function perSecond(of: readonly Measured[]): number {
  return middle(of, ({ load }) => load.perSecond)
}

function middle(of: readonly Measured[], pick: (one: Measured) => number): number {
  return median(of.map(pick))
}

function format(value: number, digits = 2): string {
  return Number.isFinite(value) && value > 0 ? value.toFixed(digits) : 'absent'
}

/** Prints a table and the line of results. Returns whether all requests succeeded and the ratios hold. */
function report(): boolean {
  const failed = Object.values(runs)
    .flat()
    .reduce((sum, { load }) => sum + load.failed, 0)
  if (failed > 0) console.log(`FAULT ${failed} requests were refused`)
  console.log('bare function, pgbench, 8 clients'.padEnd(42), format(median(rates.bare), 0).padStart(7), '/s')
  console.log('bare function, one hot merchant'.padEnd(42), format(median(rates.bareHot), 0).padStart(7), '/s')
  const titles: readonly [keyof typeof runs, string][] = [
    ['few', '64 connections'],
    ['many', '256 connections'],
    ['hot', '256 connections, one hot merchant'],
    ['unbatched', '256 connections, a transaction each'],
    ['two', '256 connections, two API processes'],
    ['half', 'half of that rate, open loop'],
    ['pinned', 'a core each, open loop'],
    ['own', '256 connections, compared'],
    ['other', `256 connections, ${revision}`],
    ['ownHalf', 'half of that rate, compared'],
    ['otherHalf', `half of that rate, ${revision}`],
  ]
  for (const [name, title] of titles) if (runs[name].length > 0) console.log(describe(title, runs[name]))
  const ratios = {
    bare: perSecond(runs.many) / median(rates.bare),
    hot: perSecond(runs.hot) / median(rates.bareHot),
    unbatched: perSecond(runs.many) / perSecond(runs.unbatched),
  }
  console.log(`redeem ${resultLine(ratios)}`)
  const limits = (['bare', 'hot', 'unbatched'] as const).map((name) => ({
    name: `ratio_${name}`,
    ratio: ratios[name],
    min: ratiosMin[name],
  }))
  return failed === 0 && (!hasWrk || checkRatios('redeem', limits))
}

function describe(title: string, of: readonly Measured[]): string {
  const value = (pick: (one: Measured) => number, digits = 0): string => format(middle(of, pick), digits)
  return [
    title.padEnd(42),
    `${value(({ load }) => load.perSecond).padStart(7)} /s`,
    `p50 ${value(({ load }) => load.p50Ms, 1)} ms, p99 ${value(({ load }) => load.p99Ms, 1)} ms`,
    `CPU ${value(({ usage }) => usage.apiUs)} + ${value(({ usage }) => usage.databaseUs)} µs`,
    `cores ${value(({ usage }) => usage.apiCore, 2)} + ${value(({ usage }) => usage.databaseCore, 2)}`,
    `packets ${value(({ usage }) => usage.packets, 2)}`,
    `log ${value(({ usage }) => usage.logBytes)} B`,
    `GC max ${value(({ usage }) => usage.gcMaxMs, 1)} ms, ${value(({ usage }) => usage.gcShare * 100, 1)} %`,
    `loop p99 ${value(({ usage }) => usage.delayP99Ms, 1)} ms`,
  ].join('  ')
}

function resultLine(ratios: Record<'bare' | 'hot' | 'unbatched', number>): string {
  const { few, many, half, pinned, own, other } = runs
  const cost = (of: readonly Measured[]): number => middle(of, ({ usage }) => usage.apiUs + usage.databaseUs)
  const parts: readonly (readonly [string, number, number])[] = [
    ['http_per_s', perSecond(many), 0],
    ['bare_per_s', median(rates.bare), 0],
    ['ratio_bare', ratios.bare, 2],
    ['ratio_hot', ratios.hot, 2],
    ['ratio_unbatched', ratios.unbatched, 2],
    ['p50_ms', middle(few, ({ load }) => load.p50Ms), 1],
    ['p99_ms', middle(few, ({ load }) => load.p99Ms), 1],
    ['half_load_p50_ms', middle(half, ({ load }) => load.p50Ms), 1],
    ['half_load_p99_ms', middle(half, ({ load }) => load.p99Ms), 1],
    ['pinned_rate', perSecond(pinned), 0],
    ['pinned_p50_ms', middle(pinned, ({ load }) => load.p50Ms), 1],
    ['pinned_p99_ms', middle(pinned, ({ load }) => load.p99Ms), 1],
    ['pinned_api_core', middle(pinned, ({ usage }) => usage.apiCore), 2],
    ['pinned_database_core', middle(pinned, ({ usage }) => usage.databaseCore), 2],
    ['api_us', middle(many, ({ usage }) => usage.apiUs), 0],
    ['database_us', middle(many, ({ usage }) => usage.databaseUs), 0],
    ...(other.length === 0
      ? []
      : ([
          ['rate_ratio', perSecond(own) / perSecond(other), 2],
          ['cost_ratio', cost(own) / cost(other), 2],
        ] as const)),
  ]
  return parts.map(([name, value, digits]) => `${name}=${format(value, digits)}`).join(' ')
}
