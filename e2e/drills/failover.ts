// Breaks a cluster of three nodes under load: synchronous replication must lose no acknowledged payment, asynchronous
// replication must lose some, or the drill would prove nothing.
//   npm run drill -- failover [short]
// Needs the Debian packages postgresql-15, etcd-server, haproxy, python3-etcd, python3-psycopg2, python3-psutil,
// python3-dateutil, python3-click, python3-prettytable and procps.
import { setTimeout as sleep } from 'node:timers/promises'
import { checkBalances } from '../failover/compare.ts'
import {
  type Fault,
  freezeAgent,
  freezeNode,
  killNode,
  killNodeAhead,
  killPostgres,
  killStandby,
  switchOver,
} from '../failover/faults.ts'
import { createWorld, type World } from '../failover/world.ts'
import { runParts } from '../run-parts.ts'
import { compareWith, type Load, longestGapMs, startLoad } from '../steady-load.ts'

process.setMaxListeners(50)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const isShort = process.argv.includes('short')
const gapMaxS = 25
// Two seconds of the load, or twenty.
const steady = isShort ? 400 : 4_000
const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
const result = { faults: 0, acked: 0, lost: 0, doubled: 0, longestGapMs: 0, controlLost: 0 }

await runParts(faults, stops, () => createWorld(stops, isShort), [
  ['faults', breakCluster],
  ...(isShort ? [] : [['asynchronous control', runControl] as const]),
])
const longestGapS = result.longestGapMs / 1_000
if (longestGapS > gapMaxS) faults.push(`nothing was acknowledged for ${longestGapS.toFixed(1)} s`)
console.log(
  `failover faults=${result.faults} acked=${result.acked} lost=${result.lost} doubled=${result.doubled} ` +
    `longest_gap_s=${longestGapS.toFixed(1)}${isShort ? '' : ` control_lost=${result.controlLost}`}`,
)
process.exit(faults.length === 0 ? 0 : 1)

function planFaults(): readonly Fault[] {
  if (isShort) return [killPostgres, switchOver, killStandby]
  return Array.from({ length: 5 }, (_, round) => [
    round % 2 === 0 ? killNode : killNodeAhead,
    killPostgres,
    round % 2 === 0 ? freezeNode : freezeAgent,
    switchOver,
    killStandby,
  ]).flat()
}

async function breakCluster(world: World): Promise<void> {
  const { cluster, pool, shop, processes } = world
  const load = startClients(world, 'order')
  await load.untilAcknowledged(200)
  for (const fault of planFaults()) {
    await cluster.untilHealthy()
    const startMs = performance.now()
    const before = load.acknowledged.length
    await fault.inject(cluster, load, steady)
    result.faults++
    const gapMs = longestGapMs(load, startMs)
    result.longestGapMs = Math.max(result.longestGapMs, gapMs)
    const shown = `gap ${(gapMs / 1_000).toFixed(1)} s, ${load.acknowledged.length - before} acknowledged`
    console.log(`  ${result.faults}: ${fault.name}: ${shown}`)
  }
  await load.stop()
  // The control needs a healthy cluster, the comparison does not.
  if (!isShort) await cluster.untilHealthy()
  console.log('  retries:', load.retries)
  faults.push(...load.refused.slice(0, 10), ...(await checkBalances(world)))
  const { lost, doubled, unknown } = await compareWith(pool, shop, load.acknowledged)
  Object.assign(result, { acked: load.acknowledged.length, lost, doubled })
  if (lost > 0) faults.push(`${lost} acknowledged redemptions are not in the database`)
  if (doubled > 0) faults.push(`${doubled} redemptions were posted twice`)
  if (unknown > 0) faults.push(`${unknown} redemptions are in the database and were not acknowledged`)
  for (const [i, { logs }] of processes.entries())
    if (!logs().includes('The database does not respond')) console.log(`  process ${i + 1} logged no outage`)
}

function startClients({ cluster, shop, vouchers }: World, name: string): Load {
  return startLoad([{ port: cluster.apiPort }], shop, { vouchers, clients: 50, perSecond: 200, name })
}

/** The same fault without synchronous replication: what the standbys miss was acknowledged. */
async function runControl(world: World): Promise<void> {
  const { cluster, pool, shop } = world
  await cluster.configure({ synchronous_mode: false, synchronous_mode_strict: false })
  await cluster.untilHealthy(false)
  // Settings reach the nodes within loop_wait.
  await sleep(6_000)
  const load = startClients(world, 'control')
  await load.untilAcknowledged(600)
  await killNodeAhead.inject(cluster, load, steady)
  await load.stop()
  result.controlLost = (await compareWith(pool, shop, load.acknowledged)).lost
  if (result.controlLost === 0) faults.push('the asynchronous control lost nothing, so the drill proves nothing')
}
