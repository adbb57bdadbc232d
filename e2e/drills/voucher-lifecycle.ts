// Kills workers during a batch and an import, then runs every voucher operation concurrently over HTTP, and compares the
// database with the responses that the client got.
//   npm run drill -- voucher-lifecycle [short]
import { type ApiProcess, startApi } from '../../server/local/drill/api-process.ts'
import { atDatabase, cloneTemplate, createTemplate } from '../../server/local/parts/database.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { createPool } from '../../server/src/base/db.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { saveRule } from '../../server/src/catalogue/charge/store.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { runParts } from '../run-parts.ts'
import { importAcrossKill, issueAcrossKills, stopWorkers } from '../voucher-lifecycle/batches.ts'
import { runStorm } from '../voucher-lifecycle/storm.ts'
import { startWorker } from '../voucher-lifecycle/worker-process.ts'
import { createReport, openMerchant, type World } from '../voucher-lifecycle/world.ts'

const report = createReport()
const apis: ApiProcess[] = []
const stops: (() => Promise<unknown>)[] = []

await runParts(report.faults, stops, createWorld, [
  ['a batch while its workers are killed', issueAcrossKills],
  ['an import while its worker is killed', importAcrossKill],
  ['stopping the workers', stopWorkers],
  ['everything at once on one voucher', runStorm],
  ['ledger', checkLedger],
])

const { batchSeconds, kills, issued, funded, rounds, illegal } = report
console.log(
  `voucher-lifecycle batch_s=${batchSeconds.toFixed(1)} kills=${kills} issued=${issued} funded=${funded} rounds=${rounds} ` +
    `illegal=${illegal}`,
)
process.exit(report.faults.length === 0 ? 0 : 1)

async function createWorld(): Promise<World> {
  const postgres = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '4GB' } })
  stops.push(postgres.stop)
  const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  const pool = createPool(ownerUrl)
  stops.push(() => pool.end())
  const admin = createPool(atDatabase(postgres.adminUrl, new URL(url).pathname.slice(1)), 1)
  stops.push(() => admin.end())
  const pepper = systemRandom(32)
  const [a, b] = [await openMerchant(pool, pepper, 'ISSUER'), await openMerchant(pool, pepper, 'ELSEWHERE')]
  await saveRule(pool, 'test', 'USD', { fixed: 10n, sharePpm: 15_000n })
  const settings = drillSettings(url, pepper)
  const workers = [startWorker(settings), startWorker(settings)]
  stops.push(() => Promise.all(workers.map((worker) => worker.kill())))
  const start = async (command: 'api' | 'all'): Promise<ApiProcess> => {
    const api = await startApi(settings, command)
    stops.push(api.stop)
    apis.push(api)
    return api
  }
  return {
    isShort: process.argv.includes('short'),
    pool,
    admin,
    a,
    b,
    api: await start('api'),
    startAnother: () => start('all'),
    workers,
    startWorker: () => startWorker(settings),
    report,
  }
}

async function checkLedger({ pool }: World): Promise<void> {
  report.faults.push(...(await verifyLedger(pool)))
  const { rows: negative } = await pool.query<{ name: string }>(
    `select owner_id || '/' || kind as name from ledger_accounts
      where balance < 0 and kind not in ('treasury', 'exchange')`,
  )
  for (const { name } of negative) report.faults.push(`account ${name} is negative`)
  // The server retries the victims, so deadlocks are only reported and are no faults.
  const { rows } = await pool.query<{ deadlocks: bigint }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  console.log(`  deadlocks ${rows[0]?.deadlocks}`)
  for (const api of apis) report.expect(api.logs() === '', `the API logged errors: ${api.logs().slice(0, 2_000)}`)
}
