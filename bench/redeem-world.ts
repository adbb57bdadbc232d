// PostgreSQL, merchants, vouchers and requests for the benchmarks of redemptions over HTTP.
import { migrateBy } from '../server/local/parts/check-out.ts'
import { atDatabase, cloneTemplate, createTemplate, ensureDatabase } from '../server/local/parts/database.ts'
import { type LocalPostgres, startPostgres } from '../server/local/parts/postgres.ts'
import { systemRandom } from '../server/src/base/random.ts'
import { readConfig } from '../server/src/config.ts'
import { type RequestText, requestText } from './http-load.ts'
import { createVoucherWorld, merchants, requestBodies } from './voucher-world.ts'

export type RedeemWorld = {
  readonly postgres: LocalPostgres
  readonly ownerUrl: string
  readonly port: number
  /** The environment of the API. */
  readonly environment: Readonly<Record<string, string>>
  /** Redemptions at all merchants, in turn. */
  readonly spread: readonly RequestText[]
  /** Redemptions at one merchant. */
  readonly hot: readonly RequestText[]
}

/** A database of another release with the same merchants, keys and vouchers. Returns the environment of its API. */
export async function addDatabaseOf(
  sources: string,
  { postgres, environment }: Pick<RedeemWorld, 'postgres' | 'environment'>,
  vouchers: number,
): Promise<Readonly<Record<string, string>>> {
  await ensureDatabase(postgres.adminUrl, 'scrip_other')
  const ownerUrl = atDatabase(postgres.adminUrl, 'scrip_other', 'scrip_owner')
  const other = { ...environment, DATABASE_URL: atDatabase(postgres.adminUrl, 'scrip_other', 'scrip_server') }
  await migrateBy(sources, { ...other, OWNER_DATABASE_URL: ownerUrl })
  await createVoucherWorld(ownerUrl, readConfig(environment), vouchers)
  return other
}

export async function startRedeemWorld(
  vouchers: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<RedeemWorld> {
  const port = 18_080 + Math.floor(Math.random() * 1_000)
  const postgres = await startPostgres({ settings: { shared_buffers: '2GB', max_wal_size: '8GB', ...settings } })
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
  return { postgres, ownerUrl, port, environment, spread, hot: requestsOf(() => 1) }
}
