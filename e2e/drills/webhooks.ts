// Delivers webhooks to many endpoints while workers are killed. One endpoint hangs, and one fails half of the time. Then
// compares the deliveries with GET /events.
//   npm run drill -- webhooks [short]
import { type ApiProcess, startApi } from '../../server/local/drill/api-process.ts'
import { cloneTemplate, createTemplate } from '../../server/local/parts/database.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { createPool } from '../../server/src/base/db.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { runParts } from '../run-parts.ts'
import { createShop } from '../vouchers/world.ts'
import { compareBooks } from '../webhooks/books.ts'
import { repairFailing, settleHealthy } from '../webhooks/catch-up.ts'
import { flowUnderKills, listEvents, makeEndpoint } from '../webhooks/flow.ts'
import { startReceiver, type Temper } from '../webhooks/receiver.ts'
import { createReport, type Endpoint, type Size, type World } from '../webhooks/world.ts'

// A full run makes 660 deliveries a second, which leaves a machine with two cores some capacity.
const size: Size = process.argv.includes('short')
  ? { events: 500, endpoints: 6, kills: 3, eventsPerSecond: 45 }
  : { events: 10_000, endpoints: 20, kills: 20, eventsPerSecond: 33 }

const startMs = performance.now()
const report = createReport()
const stops: (() => Promise<unknown>)[] = []

await runParts(report.faults, stops, createWorld, [
  ['events while workers are killed', flowUnderKills],
  ['remaining deliveries to healthy endpoints', settleHealthy],
  ['repairing the failing endpoints', repairFailing],
  ['comparing deliveries with events', compareBooks],
  ['checking the logs', checkLogs],
])

const { events, killsMs, missing, badSignatures, medianMs, p99Ms, repeated, doubled } = report
console.log(
  `webhooks events=${events.length} kills=${killsMs.length} missing=${missing} bad_signatures=${badSignatures} ` +
    `healthy_median_ms=${medianMs} healthy_p99_ms=${p99Ms} repeated=${repeated} doubled=${doubled} ` +
    `seconds=${((performance.now() - startMs) / 1_000).toFixed(1)}`,
)
process.exit(report.faults.length === 0 ? 0 : 1)

async function createWorld(): Promise<World> {
  const postgres = await startPostgres({ settings: { shared_buffers: '256MB', max_wal_size: '4GB' } })
  stops.push(postgres.stop)
  const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  const pepper = systemRandom(32)
  const pool = createPool(ownerUrl, 2)
  stops.push(() => pool.end())
  const shop = await createShop(pool, pepper, 'SHOP')
  const tempers = Array.from({ length: size.endpoints }, (_, i): Temper => {
    if (i === 0) return 'hangs'
    return i === 1 ? 'fails half' : 'healthy'
  })
  const receiver = await startReceiver(tempers)
  stops.push(receiver.stop)
  // The receiver is on this machine, where the platform delivers webhooks only if the operator allows it.
  const settings = { ...drillSettings(url, pepper), WEBHOOK_NETWORKS: '127.0.0.1/32' }
  const start = async (command: 'api' | 'all'): Promise<ApiProcess> => {
    const started = await startApi(settings, command)
    stops.push(started.stop)
    return started
  }
  const api = await start('api')
  const endpoints: Endpoint[] = []
  const secrets: string[] = []
  for (const [i, temper] of tempers.entries()) {
    const { id, secret } = await makeEndpoint({ api, shop }, receiver.url(i))
    endpoints.push({ id, temper })
    secrets.push(secret)
  }
  await receiver.know(secrets)
  // Events before this point went to no endpoint, or not to all.
  report.listed = await listEvents({ api, shop }, 0)
  // They serve HTTP as well, but the drill sends them no requests.
  const workers = [await start('all'), await start('all')] as const
  return { size, api, workers, shop, receiver, endpoints, report }
}

async function checkLogs({ api, workers }: World): Promise<void> {
  for (const { logs, stop } of [api, ...workers]) {
    await stop()
    report.expect(logs() === '', `a process logged errors: ${logs().slice(0, 2_000)}`)
  }
}
