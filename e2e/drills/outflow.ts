// Thieves with a stolen secret key, a stolen session or both attack a live shop with outflow limits: over many days, and
// in parallel at two API processes. The ledger shows how much left the shop.
//   npm run drill -- outflow [short]
import { cloneTemplate, createTemplate, type LocalDatabase } from '../../server/local/parts/database.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { stealInParallel } from '../outflow/in-parallel.ts'
import { stealOverTime } from '../outflow/over-time.ts'
import { allowed, createReport, dollars } from '../outflow/report.ts'
import { runParts } from '../run-parts.ts'

const startMs = performance.now()
const isShort = process.argv.includes('short')
const seed = Number(process.env.OUTFLOW_SEED ?? Math.floor(Math.random() * 1e9))
const plan = isShort
  ? { acts: 600, controlActs: 100, rounds: 2, seed }
  : { acts: 48_000, controlActs: 1_000, rounds: 10, seed }
const report = createReport()
const stops: (() => Promise<unknown>)[] = []
console.log(`seed ${seed}`)

await runParts(report.faults, stops, createWorld, [
  ['over time', async ({ clone }) => stealOverTime(await clone(), report, plan)],
  ['in parallel', async ({ clone }) => stealInParallel(await clone(), report, plan.rounds)],
])

const { acts, left, over, controlLeft, faults } = report
const seconds = Math.round((performance.now() - startMs) / 1_000)
console.log(
  `outflow acts=${acts} left=${dollars(left)} allowed=${dollars(allowed)} over=${over} ` +
    `control_left=${dollars(controlLeft)} seconds=${seconds}`,
)
process.exit(faults.length === 0 ? 0 : 1)

/** One PostgreSQL with a database for each part, because the parts use different clocks. */
async function createWorld(): Promise<{ clone: () => Promise<LocalDatabase> }> {
  const { adminUrl, stop } = await startPostgres({ settings: { shared_buffers: '256MB', fsync: 'off' } })
  stops.push(stop)
  const template = await createTemplate(adminUrl)
  return { clone: () => cloneTemplate(adminUrl, template) }
}
