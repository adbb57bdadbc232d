// A cluster with two APIs and two workers (one in the short version), and a shop with vouchers.
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiProcess, startApi } from '../../server/local/drill/api-process.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { atDatabase, createTemplate } from '../../server/local/parts/database.ts'
import { findFreePort } from '../../server/local/parts/postgres.ts'
import { createPool, type Pool } from '../../server/src/base/db.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { makeVouchers } from '../steady-load.ts'
import { createShop, type Shop, type Voucher } from '../vouchers/world.ts'
import { type Cluster, startCluster } from './cluster.ts'

export type World = {
  readonly isShort: boolean
  readonly cluster: Cluster
  /** Connects as the owner of the tables through HAProxy. */
  readonly pool: Pool
  readonly shop: Shop
  readonly vouchers: readonly Voucher[]
  readonly processes: readonly ApiProcess[]
  /** Of the API processes, and of the command line. */
  readonly settings: Readonly<Record<string, string>>
}

const vouchersMax = 400

export async function createWorld(stops: (() => Promise<unknown>)[], isShort: boolean): Promise<World> {
  const cluster = await startCluster(stops)
  const ports = [await findFreePort(), await findFreePort()] as const
  await cluster.startProxy(ports)
  await cluster.untilHealthy()
  const name = await createTemplate(cluster.adminUrl)
  const pool = createPool(atDatabase(cluster.adminUrl, name, 'scrip_owner'), 4, 60_000)
  stops.push(() => pool.end())
  const pepper = systemRandom(32)
  const shop = await createShop(pool, pepper, 'SHOP')
  const urls = {
    OWNER_DATABASE_URL: atDatabase(cluster.adminUrl, name, 'scrip_owner'),
    OPERATOR_DATABASE_URL: atDatabase(cluster.adminUrl, name, 'scrip_operator'),
  }
  const settings = { ...drillSettings(atDatabase(cluster.adminUrl, name, 'scrip_server'), pepper), ...urls }
  // The workers know the nodes themselves, the APIs only HAProxy.
  const hosts = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  const url = `postgresql://scrip_server:scrip_server@${hosts}/${name}?target_session_attrs=read-write`
  const workerSettings = { ...settings, DATABASE_URL: url }
  const processes = await Promise.all([
    ...ports.map((port) => startApi({ ...settings, PORT: String(port) })),
    ...Array.from({ length: isShort ? 1 : 2 }, () => startApi(workerSettings, 'worker')),
  ])
  stops.push(() => Promise.all(processes.map((one) => one.stop())))
  // HAProxy has seen both APIs ready.
  await sleep(1_500)
  const vouchers = await makeVouchers([{ port: cluster.apiPort }], shop, isShort ? 50 : vouchersMax)
  return { isShort, cluster, pool, shop, vouchers, processes, settings }
}
