// Redeems vouchers at an API behind PgBouncer in transaction mode, where a worker and migrations must refuse to start.
//   npm run drill -- pooler [short]
import { distribute, type HttpResponse, startApi, withConnections } from '../../server/local/drill/api-process.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { cloneTemplate, createTemplate, schemaFolder } from '../../server/local/parts/database.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createPool } from '../../server/src/base/db.ts'
import { migrate } from '../../server/src/base/migrate.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { startPgBouncer } from '../failover/pgbouncer.ts'
import { runParts } from '../run-parts.ts'
import { createShop, readBalance, type Shop, tally, type Voucher } from '../vouchers/world.ts'

const redemptions = 2_000
const vouchersMax = 50
const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
const result = { version: '', redeemed: 0, errors: 0, isRefused: false, isMigrationRefused: false }

type World = {
  readonly settings: Record<string, string>
  readonly shop: Shop
  readonly balance: () => Promise<bigint>
}

await runParts(faults, stops, createWorld, [
  ['worker', startWorker],
  ['migrations', startMigrations],
  ['redemptions', redeem],
])
console.log(
  `pooler redemptions=${result.redeemed} errors=${result.errors} worker_refused=${result.isRefused ? 'yes' : 'no'} ` +
    `migration_refused=${result.isMigrationRefused ? 'yes' : 'no'} pgbouncer=${result.version}`,
)
process.exit(faults.length === 0 ? 0 : 1)

async function createWorld(): Promise<World> {
  const postgres = await startPostgres({ settings: { shared_buffers: '256MB' } })
  stops.push(postgres.stop)
  const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  const pool = createPool(ownerUrl)
  stops.push(() => pool.end())
  const pepper = systemRandom(32)
  const shop = await createShop(pool, pepper, 'SHOP')
  const pooled = await startPgBouncer(url, stops)
  result.version = pooled.version
  const settings = drillSettings(pooled.url, pepper)
  return { settings, shop, balance: () => readBalance(pool, shop.environmentId, 'merchant') }
}

async function startWorker({ settings }: World): Promise<void> {
  const refusals = await Promise.all(
    (['worker', 'all'] as const).map((command) =>
      startApi(settings, command).then(
        (started) => started.stop().then(() => 'it started'),
        (error: unknown) => (error as Error).message,
      ),
    ),
  )
  result.isRefused = refusals.every((text) => text.includes('leads through a connection pooler'))
  if (!result.isRefused) faults.push(`a worker did not refuse the pooler: ${refusals.join('; ')}`)
}

async function startMigrations({ settings }: World): Promise<void> {
  const text = await migrate(settings.DATABASE_URL ?? '', schemaFolder, systemClock).then(
    () => 'they ran',
    (error: unknown) => (error as Error).message,
  )
  result.isMigrationRefused = text.includes('leads through a connection pooler')
  if (!result.isMigrationRefused) faults.push(`migrations did not refuse the pooler: ${text}`)
}

async function redeem({ settings, shop, balance }: World): Promise<void> {
  const api = await startApi(settings)
  stops.push(api.stop)
  const responses: HttpResponse[] = []
  await withConnections([api], 32, async (connections) => {
    const vouchers: Voucher[] = []
    await distribute(connections, vouchersMax, async (connection, i) => {
      vouchers[i] = await shop.makeVoucher(connection, 100_00n)
    })
    await distribute(connections, redemptions, async (connection, i) => {
      const voucher = vouchers[i % vouchersMax] as Voucher
      responses.push(await connection.send(shop.redeem({ reference: `order-${i}`, voucher, amount: 1_00n })))
    })
  })
  result.redeemed = responses.filter(({ status }) => status === 200).length
  result.errors = responses.length - result.redeemed
  if (result.errors > 0) faults.push(`redemptions got ${tally(responses)}`)
  const earned = await balance()
  if (earned !== BigInt(redemptions) * 1_00n) faults.push(`the merchant has ${earned}`)
  if (api.logs() !== '') faults.push(`the API logged: ${api.logs().slice(0, 2_000)}`)
}
