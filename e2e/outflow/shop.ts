// A live shop with money, staff and a history, in a process with its own clock, before the theft.
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../server/local/test/api-world.ts'
import type { LocalDatabase } from '../../server/local/parts/database.ts'
import { addMember, addPerson, password } from '../../server/local/test/visitor.ts'
import type { Clock } from '../../server/src/base/clock.ts'
import { createPool, inTransaction, type Pool } from '../../server/src/base/db.ts'
import { setManualRate } from '../../server/src/catalogue/currency/rates.ts'
import { openLedger } from '../../server/src/ledger/post.ts'
import { fundMerchant } from '../../server/src/identity/merchant/fund.ts'
import { setExpiredTo } from '../../server/src/identity/merchant/store.ts'
import { hashPassword } from '../../server/src/identity/user/password.ts'
import { insertUser } from '../../server/src/identity/user/store.ts'
import { eurRateText } from './flows.ts'

export const server = '/merchant-integrations-server'
export const wallet = '/wallet'

export type Shop = {
  readonly world: ApiWorld
  readonly books: Pool
  readonly environmentId: string
  readonly code: string
  readonly time: DrillClock
  readonly byKey: Send
  readonly bySession: Send
  readonly readByKey: (path: string) => Promise<ApiResponse>
  readonly readBySession: (path: string) => Promise<ApiResponse>
  /** From the thief's own wallet, which has no limits. */
  readonly byThief: Send
  readonly setRate: () => Promise<unknown>
  readonly addRecipient: () => Promise<string>
  readonly setRuleOff: () => Promise<unknown>
  readonly setDefaultRule: () => Promise<unknown>
  readonly close: () => Promise<void>
}
type Send = (path: string, body: object) => Promise<ApiResponse>

export type ApiResponse = {
  readonly code: number
  readonly status?: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: string }
}

/** A clock that only the drill moves. */
export type DrillClock = { readonly clock: Clock; readonly pass: (ms: number) => void }
export function createDrillClock(start: string): DrillClock {
  let nowMs = Date.parse(start)
  const clock: Clock = () => new Date(nowMs)
  return {
    clock,
    pass: (ms) => {
      nowMs += ms
    },
  }
}

export async function openLiveShop(database: LocalDatabase, time: DrillClock): Promise<Shop> {
  const { clock } = time
  const world = await createApiWorld(database.url, clock)
  const books = createPool(database.ownerUrl, 2)
  const { merchantId, code } = world.ours
  const environmentId = await findLiveId(books, merchantId)
  await setExpiredTo(world.pool, environmentId, 'payer')
  await fundLive(database.operatorUrl, world, environmentId, clock)
  const live = { 'scrip-mode': 'live' }
  const accountant = await addMember(world, world.ours, 'accountant')
  // With an owner as well as an accountant, two people could approve.
  await addMember(world, world.ours, 'owner')
  const thief = await addPerson(world, 'live')
  const keys: WorldMerchant = {
    ...world.ours,
    environmentId,
    publicKey: world.ours.livePublicKey,
    secretKey: world.ours.liveSecretKey,
  }
  const byKey: Send = async (path, body) =>
    JSON.parse((await world.call('POST', path, { body, as: keys })).text) as ApiResponse
  const bySession: Send = async (path, body) => (await accountant.post(path, body, live)).as<ApiResponse>()
  const readBySession = async (path: string): Promise<ApiResponse> =>
    (await accountant.get(path, live)).as<ApiResponse>()
  await byKey(`${server}/invoice-currencies`, { currencies: ['USD', 'EUR'] })
  return {
    world,
    books,
    environmentId,
    code,
    time,
    byKey,
    bySession,
    readBySession,
    readByKey: async (path) => JSON.parse((await world.call('GET', path, { as: keys })).text) as ApiResponse,
    byThief: async (path, body) => (await thief.post(path, body)).as<ApiResponse>(),
    setRate: () => setManualRate(world.pool, 'EUR', 'USD', eurRateText, clock),
    addRecipient: () => addRecipient(world, clock),
    setRuleOff: () =>
      books.query(
        `insert into outflow_rules (environment_id, approval_above, daily, new_recipient_hours) values ($1, null, null, 0)`,
        [environmentId],
      ),
    setDefaultRule: () => books.query('delete from outflow_rules where environment_id = $1', [environmentId]),
    close: async () => {
      await books.end()
      await world.close()
    },
  }
}

async function findLiveId(pool: Pool, merchantId: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from merchant_environments where merchant_id = $1 and mode = 'live'`,
    [merchantId],
  )
  return rows[0]?.id ?? ''
}

/** Far more than all thieves together could take in years. */
async function fundLive(operatorUrl: string, world: ApiWorld, environmentId: string, clock: Clock): Promise<void> {
  const ledger = openLedger({ url: operatorUrl, clock, newId: world.newId })
  const tools = { pool: world.pool, ledger, newId: world.newId }
  for (const currency of ['USD', 'EUR', 'SEK']) {
    const funding = { account: 'balance', currency, amount: '9000000.00', reference: `BANK-${currency}` } as const
    await fundMerchant(tools, { environmentId, mode: 'live' }, funding)
  }
  await ledger.close()
}

// Recipients never sign in, so one hash serves all of them.
const passwordHash = hashPassword(password)

/** Adds a user of the live wallet whom the shop has never paid, and returns the email address. */
async function addRecipient({ pool, newId }: ApiWorld, clock: Clock): Promise<string> {
  const id = newId()
  const email = `r-${id.replaceAll('-', '')}@example.com`
  const user = { id, realm: 'live', email, surname: 'Doe', otherNames: 'Jo', language: 'en' } as const
  const hash = await passwordHash
  await inTransaction(pool, (tx) => insertUser(tx, user, hash, clock()))
  return email
}
