// An installation to rehearse runbooks on: PostgreSQL with backups on a small disk of its own, two API processes, a worker
// with a network, and clients that redeem all the time and keep their own list.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRpc } from '../../server/src/chain/rpc.ts'
import { type NodeProxy, startNodeProxy } from '../../server/local/drill/node-proxy.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { startAnvil } from '../../server/local/parts/anvil.ts'
import { mineEverySecond, prepareChain } from '../../server/local/parts/chain.ts'
import { asRole, atDatabase, ensureDatabase, schemaFolder } from '../../server/local/parts/database.ts'
import { type DebianPostgres, startDebianPostgres } from '../../server/local/parts/debian-postgres.ts'
import { findFreePort } from '../../server/local/parts/postgres.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createPool } from '../../server/src/base/db.ts'
import { migrate } from '../../server/src/base/migrate.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { type Load, makeVouchers, startLoad, writeAcknowledged } from '../steady-load.ts'
import { createShop, type Shop, type Voucher } from '../vouchers/world.ts'
import { runBlock } from './blocks.ts'
import { openServices, type Unit } from './services.ts'

export type Installation = {
  readonly isShort: boolean
  /** What is started is stopped by these when the drill ends. */
  readonly stops: (() => Promise<unknown>)[]
  readonly folder: string
  /** The mount point of PostgreSQL's disk. */
  readonly disk: string
  readonly postgres: DebianPostgres
  readonly settings: Readonly<Record<string, string>>
  readonly apis: readonly [Api, Api]
  readonly shop: Shop
  readonly vouchers: Voucher[]
  readonly nodes: readonly NodeProxy[]
  /** The variables of all runbooks. */
  readonly env: Readonly<Record<string, string>>
  /** Runs bash with these variables. */
  readonly sh: (script: string) => Promise<void>
  readonly startLoad: () => Load
  /** Writes what the load has acknowledged to $ACKNOWLEDGED. */
  readonly writeList: (load: Load) => void
  readonly untilReady: () => Promise<void>
}
type Api = { readonly port: number; readonly baseUrl: string }

const repository = resolve(import.meta.dirname, '../..')
const diskMb = 500
const merchantCode = 'SHOP'

export async function openInstallation(stops: (() => Promise<unknown>)[], isShort: boolean): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-runbooks-'))
  chmodSync(folder, 0o755)
  const disk = mountDisk(folder, stops)
  const postgres = await startDebianPostgres({
    dataFolderIn: disk,
    settings: { shared_buffers: '64MB', max_wal_size: '96MB', min_wal_size: '32MB', archive_timeout: '5' },
  })
  stops.push(postgres.remove)
  await ensureDatabase(postgres.adminUrl, 'scrip')
  const ownerUrl = atDatabase(postgres.adminUrl, 'scrip', 'scrip_owner')
  await migrate(ownerUrl, schemaFolder, systemClock)
  const pool = createPool(ownerUrl)
  stops.push(() => pool.end())
  pool.on('error', () => undefined)
  const nodes = await openNodes(stops, (url) => prepareChain(pool, url))
  const pepper = systemRandom(32)
  const [first, second, spare] = nodes.map(({ url }) => url)
  const settings: Record<string, string> = {
    ...drillSettings(asRole(ownerUrl, 'scrip_server'), pepper),
    OWNER_DATABASE_URL: ownerUrl,
    OPERATOR_DATABASE_URL: asRole(ownerUrl, 'scrip_operator'),
    // No load balancer: restarts do not wait for one.
    DRAIN_SECONDS: '0',
    CHAIN_NODES: `LOCAL=${first},${second}`,
  }
  const envFile = join(folder, 'scrip.env')
  writeSettings(envFile, settings)
  const release = join(folder, 'current')
  symlinkSync(repository, release)
  const workerEnvFile = join(folder, 'scrip-worker.env')
  const units = await nameUnits(envFile, workerEnvFile)
  const services = await openServices(folder, release, units)
  stops.push(services.stop)
  const apis = [toApi(units['scrip-api-1']), toApi(units['scrip-api-2'])] as const
  const env = {
    ...postgres.env,
    ...toVariables(folder, release, envFile, services.command, apis, units),
    DATA_DISK: disk,
    PGLOG: join(postgres.folder, 'postgres.log'),
    OWNER_DATABASE_URL: ownerUrl,
    WORKER_ENV_FILE: workerEnvFile,
    NEW_CHAIN_NODES: `LOCAL=${first},${spare}`,
  }
  const sh = async (script: string): Promise<void> => {
    const { output, fault } = await runBlock({ heading: '', line: 0, script, expected: [] }, env, release)
    if (fault !== undefined) throw new Error(`${script} ${fault}: ${output}`)
  }
  await sh('$SERVICE start $API_UNITS $WORKER_UNITS')
  const untilReady = (): Promise<void> => waitUntilReady(apis)
  await untilReady()
  const shop = await createShop(pool, pepper, merchantCode)
  const vouchers = await makeVouchers(apis, shop, 50)
  let loads = 0
  return {
    ...{ isShort, stops, folder, disk, postgres, settings, apis, shop, vouchers, nodes, env, sh, untilReady },
    // With references of its own: the runbooks share a database, and one that was used before would be a retry.
    startLoad: () => startLoad(apis, shop, { vouchers, clients: 4, name: `load-${++loads}` }),
    writeList: (load) => writeAcknowledged(env.ACKNOWLEDGED, merchantCode, load.acknowledged),
  }
}

function toVariables(
  folder: string,
  release: string,
  envFile: string,
  service: string,
  apis: readonly Api[],
  units: Readonly<Record<string, Unit>>,
) {
  return {
    HOME: process.env.HOME ?? '/root',
    SERVICE: service,
    API_UNITS: 'scrip-api-1 scrip-api-2',
    WORKER_UNITS: 'scrip-worker-1',
    WORKER_LOG: join(folder, 'scrip-worker-1.log'),
    ENV_FILE: envFile,
    SCRIP_FOLDER: release,
    OLD_RELEASE: repository,
    NEW_RELEASE: join(folder, 'new-release'),
    API_1_URL: apis[0]?.baseUrl ?? '',
    API_2_URL: apis[1]?.baseUrl ?? '',
    WORKER_INTERNAL_URL: `http://127.0.0.1:${units['scrip-worker-1']?.internalPort}`,
    ACKNOWLEDGED: join(folder, 'acknowledged.jsonl'),
    LOST: join(folder, 'lost.jsonl'),
    SECRETS_COPY: join(folder, 'secrets-copy.env'),
  }
}

function writeSettings(file: string, settings: Readonly<Record<string, string>>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(file, lines.join(''), { mode: 0o600 })
}

/** A file system of its own, which a runbook can fill. */
function mountDisk(folder: string, stops: (() => Promise<unknown>)[]): string {
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m,mode=755`, 'tmpfs', disk])
  if (status !== 0)
    throw new Error(`The drill mounts a small disk, for which it must run as root: ${stderr.toString()}`)
  stops.push(() => {
    spawnSync('umount', ['-l', disk])
    spawnSync('rm', ['-rf', folder])
    return Promise.resolve()
  })
  return disk
}

/** Three nodes of one network with a block a second. */
async function openNodes(
  stops: (() => Promise<unknown>)[],
  prepare: (url: string) => ReturnType<typeof prepareChain>,
): Promise<NodeProxy[]> {
  const anvil = await startAnvil(['--slots-in-an-epoch', '1'])
  stops.push(anvil.stop)
  const { client } = await prepare(anvil.url)
  await createRpc([anvil.url], systemClock).call('anvil_mine', ['0x5'])
  await mineEverySecond(client)
  const nodes: NodeProxy[] = []
  for (let i = 0; i < 3; i++) {
    const node = await startNodeProxy(
      () => anvil.url,
      async (call, pass) => ({ status: 200, body: await pass(call) }),
    )
    stops.push(() => {
      node.resume()
      return node.stop()
    })
    nodes.push(node)
  }
  return nodes
}

async function nameUnits(envFile: string, workerEnvFile: string): Promise<Record<string, Unit>> {
  const units: Record<string, Unit> = {}
  for (const name of ['scrip-api-1', 'scrip-api-2', 'scrip-worker-1']) {
    const [port, internalPort] = [await findFreePort(), await findFreePort()]
    const isApi = name.startsWith('scrip-api')
    const envFiles = isApi ? [envFile] : [envFile, workerEnvFile]
    units[name] = { command: isApi ? 'api' : 'worker', port, internalPort, envFiles }
  }
  return units
}

function toApi(unit: Unit | undefined): Api {
  const port = unit?.port ?? 0
  return { port, baseUrl: `http://127.0.0.1:${port}` }
}

async function waitUntilReady(apis: readonly Api[]): Promise<void> {
  for (const { baseUrl } of apis)
    for (let tries = 0; ; tries++) {
      const reply = await fetch(`${baseUrl}/health/ready`).catch(() => undefined)
      if (reply?.status === 200) break
      if (tries === 1_200) throw new Error(`${baseUrl} is not ready.`)
      await sleep(50)
    }
}
