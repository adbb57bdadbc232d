// A platform with default limits behind one proxy, shops that redeem, and what visitors can get: invoice links, voucher
// codes and public keys.
import { type ApiProcess, startApi } from '../../server/local/drill/api-process.ts'
import { cloneTemplate, createTemplate } from '../../server/local/parts/database.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { drillSettings, openShop } from '../../server/local/drill/shop.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createPool, inTransaction, type Pool } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { hashPassword } from '../../server/src/identity/user/password.ts'
import { insertUser } from '../../server/src/identity/user/store.ts'
import { newAddress } from '../vouchers/world.ts'

export type Shop = Awaited<ReturnType<typeof openShop>> & { readonly code: string }
/** What the attackers know. It is passed to their thread. */
export type Targets = {
  readonly baseUrl: string
  readonly shops: readonly Shop[]
  /** Private links of long invoices. */
  readonly invoiceTokens: readonly string[]
  readonly codes: readonly string[]
  /** A user with a wallet, to whom shops can send payment requests. */
  readonly username: string
  /** With many vouchers each. Printing them needs the shop's secret key. */
  readonly batches: readonly { readonly shop: Shop; readonly id: string }[]
}
export type World = { readonly api: ApiProcess; readonly pool: Pool; readonly targets: Targets }

const shopCount = 10
const vouchersPerShop = 20
const invoicesPerShop = 12
const batchSize = 1_000
const batchCount = 3

export async function createWorld(stops: (() => Promise<unknown>)[]): Promise<World> {
  const postgres = await startPostgres({ settings: { shared_buffers: '256MB' } })
  stops.push(postgres.stop)
  const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  const pool = createPool(ownerUrl, 4)
  stops.push(() => pool.end())
  const pepper = systemRandom(32)
  // The default limits.
  const limits = { REQUESTS_PER_MINUTE: '1500', KEY_REQUESTS_PER_MINUTE: '6000' }
  const api = await startApi({ ...drillSettings(url, pepper), ...limits }, 'all')
  stops.push(api.stop)

  const shops: Shop[] = []
  for (let n = 0; n < shopCount; n++) {
    const code = `FLOOD${n}`
    const shop = { code, ...(await openShop(pool, pepper, code)) }
    await pool.query(`insert into invoice_currencies values ($1, 'USD')`, [shop.environmentId])
    shops.push(shop)
  }
  const codes = await inEach(shops, vouchersPerShop, async (shop) => {
    const body = { amount: '1000.00', currency: 'USD' }
    return (await post(api, '/sandbox/vouchers', body, shop)).code ?? ''
  })
  const invoiceTokens = await inEach(shops, invoicesPerShop, async (shop, n) => {
    const body = { mode: 'test', invoice: longInvoice(shop.code, n) }
    return (await post(api, '/invoice/submit', body)).token ?? ''
  })
  const batches: Targets['batches'][number][] = []
  for (const shop of shops.slice(0, batchCount)) {
    await post(api, '/sandbox/fund', { amount: batchSize, currency: 'USD' }, shop)
    const body = { size: batchSize, amount: 1, currency: 'USD' }
    batches.push({ shop, id: (await post(api, '/merchant-integrations-server/voucher-batches', body, shop)).id ?? '' })
  }
  for (const { id } of batches) await untilFinished(pool, id)
  const username = await insertAda(pool)
  return { api, pool, targets: { baseUrl: api.baseUrl, shops, invoiceTokens, codes, username, batches } }
}

async function insertAda(pool: Pool): Promise<string> {
  const newId = createIds(systemClock, systemRandom)
  const ada = { id: newId(), email: 'ada@example.com', username: 'ada', surname: 'Obi', otherNames: 'Ada' }
  const passwordHash = await hashPassword('correct horse battery')
  await inTransaction(pool, (tx) =>
    insertUser(tx, { ...ada, realm: 'test', language: 'en' }, passwordHash, systemClock()),
  )
  return ada.username
}

/** An invoice of the maximum length. */
function longInvoice(merchantCode: string, n: number): object {
  const description = `Painting and papering of room ${n}, with everything that belongs to it. `.repeat(3)
  return {
    ...{ currencyAbbreviation: 'USD', invoiceDate: '2030-01-01', dueDate: '2030-01-31', merchantCode },
    ...{ email: `painter${n}@example.com`, fullName: `Painter ${n}` },
    invoiceItems: Array.from({ length: 100 }, () => ({ description, quantity: 1.5, unitPrice: 19.9 })),
  }
}

/** Makes `count` items for each shop, all shops in parallel. */
async function inEach(
  shops: readonly Shop[],
  count: number,
  make: (shop: Shop, n: number) => Promise<string>,
): Promise<string[]> {
  const made = await Promise.all(
    shops.map(async (shop) => {
      const own: string[] = []
      for (let n = 0; n < count; n++) own.push(await make(shop, n))
      return own
    }),
  )
  return made.flat()
}

async function untilFinished(pool: Pool, batchId: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('select from voucher_batches where id = $1 and finished_at is not null', [
      batchId,
    ])
    if (rows.length > 0) return
  }
}

type Data = { readonly id?: string; readonly code?: string; readonly token?: string }

/** From a new address, or as the shop. */
async function post({ baseUrl }: ApiProcess, path: string, body: object, shop?: Shop): Promise<Data> {
  const reply = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Forwarded-For': newAddress(),
      ...(shop && { Authorization: `Bearer ${shop.publicKey}`, 'X-API-Private-Key': shop.secretKey }),
    },
    body: JSON.stringify(body),
  })
  const response = (await reply.json()) as { data?: Data; message?: string }
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${response.message}`)
  return response.data ?? {}
}
