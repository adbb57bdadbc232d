// Replaces the processes of the previous release by this one, one at a time and under load, behind the HAProxy file of deploy/: first
// the expanding migrations, then each process, then the contract.
//   npm run drill -- rolling [short]
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiProcess, startApi } from '../../server/local/drill/api-process.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { migrateBy } from '../../server/local/parts/check-out.ts'
import { atDatabase, ensureDatabase, schemaFolder } from '../../server/local/parts/database.ts'
import { findFreePort, startPostgres } from '../../server/local/parts/postgres.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createPool, type Pool } from '../../server/src/base/db.ts'
import { migrate } from '../../server/src/base/migrate.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { saveRule } from '../../server/src/catalogue/charge/store.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { type Haproxy, startHaproxy } from '../failover/haproxy.ts'
import { createFolder } from '../failover/processes.ts'
import { checkOutPrevious } from '../previous-release.ts'
import { runParts } from '../run-parts.ts'
import { compareWith, type Load, longestGapMs, makeVouchers, startLoad } from '../steady-load.ts'
import { createShop, type Shop } from '../vouchers/world.ts'

const isShort = process.argv.includes('short')
const [perSecond, settleMs] = isShort ? [60, 1_000] : [150, 10_000]
// The requests that it has received are served within this time.
const drainMs = 2_000
const thisRelease = resolve(import.meta.dirname, '../..')

type World = {
  readonly pool: Pool
  readonly ownerUrl: string
  /** Those of the previous release, with a worker each. */
  readonly processes: readonly [ApiProcess, ApiProcess]
  readonly proxy: Haproxy
  readonly shop: Shop
  readonly load: Load
}

const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
const result = { acked: 0, failed: 0, retried: 0, lost: NaN, doubled: NaN, gapMs: NaN }

await runParts(faults, stops, createWorld, [
  ['processes replaced under load', replaceProcesses],
  ['what was acknowledged', checkAcknowledged],
])
const { acked, failed, retried, lost, doubled, gapMs } = result
console.log(
  `rolling acked=${acked} failed=${failed} retried_503=${retried} lost=${lost} doubled=${doubled} longest_gap_ms=${Math.round(gapMs)}`,
)
process.exit(faults.length === 0 ? 0 : 1)

async function createWorld(): Promise<World> {
  const postgres = await startPostgres({ settings: { shared_buffers: '256MB' } })
  stops.push(postgres.stop)
  const previous = checkOutPrevious(stops)
  await ensureDatabase(postgres.adminUrl, 'scrip')
  const ownerUrl = atDatabase(postgres.adminUrl, 'scrip', 'scrip_owner')
  const pepper = systemRandom(32)
  const settings = drillSettings(atDatabase(postgres.adminUrl, 'scrip', 'scrip_server'), pepper)
  await migrateBy(previous, { ...settings, OWNER_DATABASE_URL: ownerUrl })
  const pool = createPool(ownerUrl, 2)
  stops.push(() => pool.end())
  await saveRule(pool, 'test', 'USD', { fixed: 10n, sharePpm: 15_000n })
  const shop = await createShop(pool, pepper, 'SHOP')
  const processes = [await startProcess(settings, previous), await startProcess(settings, previous)] as const
  const { proxy, port } = await startProxy(processes)
  const vouchers = await makeVouchers([{ port }], shop, 50)
  const load = startLoad([{ port }], shop, { vouchers, clients: 12, perSecond })
  stops.push(load.stop)
  return { pool, ownerUrl, processes, proxy, shop, load }
}

/** With the drain of production, in which load balancers notice that a process is about to stop. */
async function startProcess(settings: Record<string, string>, sources: string): Promise<ApiProcess> {
  const started = await startApi({ ...settings, DRAIN_SECONDS: '5' }, 'all', sources)
  stops.push(started.stop)
  return started
}

/** `port` is the one on which shops reach the API processes. */
async function startProxy([first, second]: World['processes']): Promise<{ proxy: Haproxy; port: number }> {
  const { path, remove } = createFolder()
  stops.push(remove)
  // Nothing listens on the last one. With the address of HAProxy itself, its checks would open connections to itself without end.
  const [port, databasePort, closedPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
  const bind = { database: `127.0.0.1:${databasePort}`, api: `127.0.0.1:${port}` }
  const databases = Array.from({ length: 3 }, () => ({ port: closedPort, restPort: closedPort }))
  const proxy = startHaproxy(path, bind, databases, [first.port, second.port])
  stops.push(proxy.kill)
  await sleep(3_000)
  return { proxy, port }
}

/**
 * The previous release closes its connections at once on SIGTERM: a request on its way would be cut off. So the load balancer stops
 * sending it requests first. This release does that by its readiness.
 */
async function replacePrevious(one: ApiProcess, proxy: Haproxy, name: 'api1' | 'api2'): Promise<void> {
  await proxy.setServer(name, 'drain')
  await sleep(drainMs)
  await one.restart({}, thisRelease)
  await proxy.setServer(name, 'ready')
  // The load balancer has to find it ready before the other one stops.
  await sleep(3_000)
}

async function replaceProcesses({ ownerUrl, processes, proxy, load }: World): Promise<void> {
  const startMs = performance.now()
  const report = (line: string): void => console.log(`  ${line}`)
  await sleep(settleMs)
  const applied = await migrate(ownerUrl, schemaFolder, systemClock)
  report(`expanded: ${applied.join(', ')}`)
  for (const [i, one] of processes.entries()) {
    await sleep(settleMs)
    await replacePrevious(one, proxy, i === 0 ? 'api1' : 'api2')
    report(`process ${i + 1} replaced, ${load.acknowledged.length} acknowledged`)
  }
  report(`contracted: ${(await migrate(ownerUrl, schemaFolder, systemClock, { contract: true })).join(', ')}`)
  await sleep(settleMs)
  // This release, replaced by itself: now both have the drain.
  for (const one of isShort ? [] : processes) {
    await one.restart({})
    await sleep(3_000)
  }
  result.gapMs = longestGapMs(load, startMs)
}

async function checkAcknowledged({ pool, shop, load, processes }: World): Promise<void> {
  await load.stop()
  const { 503: unavailable = 0, ...others } = load.retries
  result.acked = load.acknowledged.length
  result.retried = unavailable
  result.failed = Object.values(others).reduce((sum, count) => sum + count, load.refused.length)
  Object.assign(result, await compareWith(pool, shop, load.acknowledged))
  console.log('  retries', load.retries)
  for (const failure of load.refused.slice(0, 5)) faults.push(`a shop got ${failure}`)
  if (result.failed > 0) {
    faults.push(`${result.failed} requests failed otherwise than with 503`)
    const errors = processes
      .flatMap(({ logs }) => logs().split('\n'))
      .filter((line) => /"level":"?(50|error)/.test(line))
    console.log(errors.slice(0, 5).join('\n'))
  }
  if (result.lost + result.doubled > 0) faults.push(`${result.lost} payments are lost, ${result.doubled} doubled`)
  if (result.acked === 0) faults.push('nothing was acknowledged, so the drill proves nothing')
  faults.push(...(await verifyLedger(pool)))
}
