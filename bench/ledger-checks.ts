// What the background check of the ledger costs: processor time for a part of 1,000,000 transfers, and what a posted redemption costs
// with and without a check beside it, in alternating turns of one run, on one PostgreSQL from npm with fsync on.
//   npm run bench -- ledger-checks [short]
import { setTimeout as sleep } from 'node:timers/promises'
import { cloneTemplate, createTemplate } from '../server/local/parts/database.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { connect, createPool } from '../server/src/base/db.ts'
import { createLeases } from '../server/src/base/lease.ts'
import { createLog } from '../server/src/base/log.ts'
import { createCheckLedger, readVerification } from '../server/src/ledger/check.ts'
import { median, runPostLoad } from './post-load.ts'
import { processorSeconds } from './redeem-process.ts'
import { createRedemptionWorld, growRedemptionWorld } from './redemption-world.ts'
import { checkRatios } from './thresholds.ts'

/** A check takes at most a fifth of a processor, on two that posting shares with it. */
const ratioMax = 1.6
const isShort = process.argv.includes('short')
const [turns, seconds, small, large] = isShort ? [2, 2, 5_000, 25_000] : [5, 6, 10_000, 500_000]

const postgres = await startPostgres({ settings: { shared_buffers: '1GB', max_wal_size: '8GB' } })
const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
await createRedemptionWorld(ownerUrl, small)
await growRedemptionWorld(postgres.adminUrl, ownerUrl, small, large, () => undefined)
const checkPool = createPool(url, 1)
const leases = createLeases(url)
const owner = await connect(ownerUrl)
let nowMs = Date.now()
const tools = { checkPool, clock: () => new Date(nowMs), leases, log: createLog('error') }
const alertDifference = (): Promise<void> => Promise.resolve()
const job = createCheckLedger({ ...tools, alertDifference, rest: () => Promise.resolve() })
const restingJob = createCheckLedger({ ...tools, alertDifference })

const processOf = async (): Promise<number> => {
  const { rows } = await checkPool.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}
/** Seconds of processor time of this process, which posts and checks, and of PostgreSQL. */
function allProcessorS(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + processorSeconds(postgres.pid())
}

const startMs = performance.now()
const pid = await processOf()
const startCpuS = processorSeconds(pid)
while (await job.run()) continue
const checkS = (performance.now() - startMs) / 1_000
const checkCpuS = processorSeconds(pid) - startCpuS
const { rows } = await owner.query<{ count: bigint }>('select count(*) from all_transfers')
const transfers = Number(rows[0]?.count)
console.log(`checked ${transfers} transfers in ${checkS.toFixed(1)} s, ${checkCpuS.toFixed(1)} s of processor time`)

const costs = { alone: [] as number[], beside: [] as number[] }
await runPostLoad(url, small, false, 2)
for (let turn = 0; turn < turns; turn++)
  for (const kind of ['alone', 'beside'] as const) {
    const ending = new AbortController()
    nowMs = Date.now() + (turn + 1) * 8 * 86_400_000
    const checking = kind === 'alone' ? Promise.resolve() : checkUntil(ending.signal)
    const before = allProcessorS()
    const { journals } = await runPostLoad(url, small, false, seconds)
    costs[kind].push(((allProcessorS() - before) * 1e6) / journals)
    ending.abort()
    await checking
  }
const { openDifferences } = await readVerification(checkPool, new Date(nowMs))
await owner.end()
await leases.close()
await checkPool.end()
await postgres.stop()

const ratio = median(costs.beside.map((cost, turn) => cost / (costs.alone[turn] ?? cost)))
console.log(
  `µs of processor time for a redemption: ${median(costs.alone).toFixed(0)} alone, ${median(costs.beside).toFixed(0)} with a check`,
)
if (openDifferences > 0) console.log(`FAULT ${openDifferences} differences`)
if (!checkRatios('ledger-checks', [{ name: 'redeem_ratio', ratio, max: ratioMax }]) || openDifferences > 0)
  process.exitCode = 1
console.log(
  `ledger-checks transfers=${transfers} seconds=${checkS.toFixed(1)} cpu_per_million_s=${((checkCpuS * 1e6) / transfers).toFixed(1)} redeem_ratio=${ratio.toFixed(2)}`,
)

/** Checks over and over until the signal, with the rests of a worker. */
async function checkUntil(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) if (!(await restingJob.run())) await sleep(50)
}
