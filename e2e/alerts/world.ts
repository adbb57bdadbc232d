// A platform of two API processes and a worker, with everything that the alerts are about.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiProcess, startApi } from '../../server/local/drill/api-process.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { type LocalChain, startAnvil } from '../../server/local/parts/anvil.ts'
import { prepareChain, mineEverySecond } from '../../server/local/parts/chain.ts'
import { cloneTemplate, createTemplate } from '../../server/local/parts/database.ts'
import { findFreePort, type LocalPostgres, startPostgres } from '../../server/local/parts/postgres.ts'
import { type LocalRedis, startRedis } from '../../server/local/parts/redis.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createPool, type Pool } from '../../server/src/base/db.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { setManualRate } from '../../server/src/catalogue/currency/rates.ts'
import { type OpenedShop, openShop } from '../../server/local/drill/shop.ts'

export type Shop = OpenedShop & { readonly voucherCode: string }

export type World = {
  readonly postgres: LocalPostgres
  readonly redis: LocalRedis
  readonly anvil: LocalChain
  /** Connects as the owner of the tables. */
  readonly pool: Pool
  readonly api: ApiProcess
  /** Serves nothing, and is killed. */
  readonly secondApi: ApiProcess
  readonly worker: ApiProcess
  /** Each is for one provocation, so that they do not wait for each other's accounts. */
  readonly shops: readonly [Shop, Shop, Shop, Shop, Shop]
  /** Webhook endpoints: one responds after some seconds, one with an error. */
  readonly slowUrl: string
  readonly failingUrl: string
}

// The nodes respond, and their blocks are as old as those of a node that is syncing.
const blocksBehindSeconds = 3_600
const slowMs = 8_000

export async function createWorld(stops: (() => Promise<unknown>)[]): Promise<World> {
  const [postgres, redis, anvil, receiver] = await Promise.all([
    startPostgres(),
    startRedis(),
    startAnvil([
      ...['--slots-in-an-epoch', '1'],
      ...['--timestamp', String(Math.floor(Date.now() / 1_000) - blocksBehindSeconds)],
    ]),
    startReceiver(),
  ])
  stops.push(postgres.stop, redis.stop, anvil.stop, () => closeAll(receiver))
  const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  const pool = createPool(ownerUrl, 20)
  pool.on('error', () => undefined)
  stops.push(() => pool.end())
  await setManualRate(pool, 'EUR', 'USD', '1.1', systemClock)
  await plantDifference(pool)
  const pepper = systemRandom(32)
  const settings = {
    ...drillSettings(url, pepper),
    CHAIN_NODES: `LOCAL=${anvil.url}`,
    REDIS_URL: redis.url,
    // Nothing listens there.
    SMTP_URL: `smtp://127.0.0.1:${await findFreePort()}`,
    MAIL_FROM: 'Scrip <pay@example.com>',
    WEBHOOK_NETWORKS: '127.0.0.1/32',
    LOG_LEVEL: 'error',
  }
  const [api, secondApi, worker] = await Promise.all([
    startApi(settings),
    startApi(settings),
    startApi(settings, 'worker'),
    prepareChain(pool, anvil.url).then(({ client }) => mineEverySecond(client)),
  ])
  stops.push(() => Promise.all([api, secondApi, worker].map((each) => each.stop())))
  const open = async (code: string): Promise<Shop> => {
    const shop = await openShop(pool, pepper, code)
    const voucher = await post<{ code: string }>(api, shop, '/sandbox/vouchers', { amount: '1000.00', currency: 'USD' })
    return { ...shop, voucherCode: voucher.code }
  }
  const shops = [
    await open('LOCKED'),
    await open('PULSED'),
    await open('HOLDS'),
    await open('HOOKS'),
    await open('DESK'),
  ]
  const { port } = receiver.address() as AddressInfo
  return {
    ...{ postgres, redis, anvil, pool, api, secondApi, worker },
    shops: shops as unknown as World['shops'],
    slowUrl: `http://127.0.0.1:${port}/slow`,
    failingUrl: `http://127.0.0.1:${port}/failing`,
  }
}

/** A balance without transfers, which the first check of the worker finds. */
async function plantDifference(pool: Pool): Promise<void> {
  await pool.query(`
    insert into ledger_books (mode, currency) values ('test', 'JPY') on conflict do nothing;
    alter table ledger_accounts disable trigger user;
    insert into ledger_accounts (book_id, owner_id, kind, may_go_negative, balance)
      select id, gen_random_uuid(), 'merchant', false, 5 from ledger_books where mode = 'test' and currency = 'JPY';
    alter table ledger_accounts enable trigger user`)
}

async function startReceiver(): Promise<Server> {
  const server = createServer((request, reply) => {
    request.resume()
    if (request.url === '/failing') reply.writeHead(500).end()
    else void sleep(slowMs, undefined, { ref: false }).then(() => reply.writeHead(200).end())
  })
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready))
  return server
}

async function closeAll(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
}

/** Sends a request with both keys of the shop. Returns the status, or 0 without a response. */
export async function tryPost(api: ApiProcess, shop: OpenedShop, path: string, body: object): Promise<number> {
  return fetchAs(api, shop, path, body).then(
    async (reply) => {
      await reply.arrayBuffer()
      return reply.status
    },
    () => 0,
  )
}

/** The same, where the drill cannot go on without success. */
export async function post<T>(api: ApiProcess, shop: OpenedShop, path: string, body: object): Promise<T> {
  const reply = await fetchAs(api, shop, path, body)
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`)
  return (JSON.parse(text) as { data: T }).data
}

function fetchAs({ baseUrl }: ApiProcess, shop: OpenedShop, path: string, body: object): Promise<Response> {
  return fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${shop.publicKey}`,
      'X-API-Private-Key': shop.secretKey,
    },
    body: JSON.stringify(body),
  })
}
