// A platform with default settings, and a player who controls all of its users and merchants.
import { asRole, cloneTemplate } from '../../server/local/parts/database.ts'
import { createPool, inTransaction, type Pool } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { findTerms } from '../../server/src/catalogue/exchange/store.ts'
import { acceptHeldRate, recordRate } from '../../server/src/catalogue/exchange/record-rate.ts'
import type { MerchantCaller } from '../../server/src/http/caller.ts'
import { openLedger } from '../../server/src/ledger/post.ts'
import { createMerchant } from '../../server/src/identity/merchant/create-merchant.ts'
import { findUser, insertUser, type User } from '../../server/src/identity/user/store.ts'
import { createFindFacts } from '../../server/src/vouchers/redeem/facts.ts'
import { issueVoucher } from '../../server/src/vouchers/voucher/issue.ts'
import { createKeyRing } from '../../server/src/vouchers/code/key-ring.ts'
import { createPinCheck } from '../../server/src/vouchers/redeem/pin.ts'
import { type ReadCode, readCode } from '../../server/src/vouchers/code/code.ts'
import { fundWallet } from '../../server/src/payments/wallet/fund.ts'
import { type Code, type Market, rateText } from './market.ts'

const usersCount = 12
const merchantsCount = 6
/** More than a long run moves. The ether is worth as much as the other currencies at the first day's rate. */
const funds: Readonly<Record<Code, string>> = { USD: '9000000', EUR: '9000000', ETH: '3600' }
const codes = Object.keys(funds) as Code[]

export type Tools = ReturnType<typeof openTools>
export type Merchant = { readonly caller: MerchantCaller; readonly vouchers: Readonly<Record<Code, ReadCode>> }
export type World = {
  readonly url: string
  /** Connects as the owner of the tables, who sees the rows of every environment. */
  readonly owner: Pool
  readonly tools: Tools
  readonly users: readonly User[]
  readonly merchants: readonly Merchant[]
  /** Sets the clock and the platform's rates to those of a tick. */
  readonly moveTo: (market: Market) => Promise<void>
  /** All pairs have the same tolerance, unless the operator sets other terms. */
  readonly readTolerance: () => Promise<bigint>
  readonly stop: () => Promise<void>
}

/** The dependencies of the platform's use cases. The drill calls these directly: 100,000 acts over HTTP would take hours. */
function openTools(url: string, clock: () => Date) {
  // The drill sets rates, which only the operator may do.
  const pool = createPool(asRole(url, 'scrip_operator'), 10)
  const newId = createIds(clock, systemRandom)
  const ledger = openLedger({ url, clock, newId })
  const keyRing = createKeyRing([{ id: 1, secret: systemRandom(32) }])
  const findFacts = createFindFacts({ pool, clock, keyRing, settingsMs: 1_000 })
  const checkPin = createPinCheck({ pool, clock, newId, keyRing })
  return { pool, ledger, clock, newId, random: systemRandom, keyRing, seals: keyRing, findFacts, checkPin, nodes: {} }
}

export async function createWorld(adminUrl: string, template: string, first: Market): Promise<World> {
  const { url, ownerUrl } = await cloneTemplate(adminUrl, template)
  const owner = createPool(ownerUrl, 2)
  let now = first.at
  const tools = openTools(url, () => now)

  const moveTo = async (market: Market): Promise<void> => {
    now = market.at
    for (const from of ['EUR', 'ETH'] as const) {
      const quoted = { from, to: 'USD', source: 'market', rate: rateText(market, from), asOf: market.at }
      const { isHeld } = await recordRate(tools.pool, quoted)
      // A jump beyond the band waits for the operator, who accepts it: otherwise the player would trade at an old rate.
      if (isHeld) await acceptHeldRate(tools.pool, from, 'USD', 'market')
    }
  }
  // The demo rates may be far from those of the walk. The first rate of a pair is never held back.
  await owner.query('delete from exchange_rates')
  await moveTo(first)

  const users: User[] = []
  for (let i = 0; i < usersCount; i++) users.push(await addUser(tools, i))
  const merchants: Merchant[] = []
  for (let i = 0; i < merchantsCount; i++) merchants.push(await addMerchant(tools, `SHOP${i}`))

  return {
    url,
    owner,
    tools,
    users,
    merchants,
    moveTo,
    readTolerance: async () => (await findTerms(tools.pool, 'EUR', 'USD')).tolerancePpm,
    stop: async () => {
      await tools.ledger.close()
      await tools.pool.end()
      await owner.end()
    },
  }
}

async function addUser(tools: Tools, number: number): Promise<User> {
  const { pool, clock, newId } = tools
  const email = `player-${number}@example.com`
  const names = { surname: 'Obi', otherNames: 'Ada', language: 'en' } as const
  // Test mode needs neither a session nor a PIN, so the players never sign in.
  await inTransaction(pool, (tx) => insertUser(tx, { id: newId(), realm: 'test', email, ...names }, '', clock()))
  const user = await findUser(pool, 'test', email)
  if (user === undefined) throw new Error('The user was not inserted.')
  for (const currency of codes)
    await fundWallet(tools, user, 'test', { currency, amount: funds[currency], reference: currency })
  return user
}

export async function addCaller({ pool, clock, newId }: Tools, code: string): Promise<MerchantCaller> {
  const names = { companyName: `${code} Ltd`, tradingName: code, description: code, avatar: '' }
  const profile = { code, ...names, homeCurrency: 'USD', timeZone: 'UTC' }
  const { merchantId, testId } = await createMerchant(pool, profile, clock, newId)
  return { merchantId, environmentId: testId, mode: 'test', keyId: newId(), hasSecret: true }
}

async function addMerchant(tools: Tools, code: string): Promise<Merchant> {
  const caller = await addCaller(tools, code)
  const issue = async (currency: Code): Promise<ReadCode> => {
    const input = { amount: funds[currency], currency, reference: `voucher-${currency}`, paidFrom: 'treasury' } as const
    return readCode((await issueVoucher(tools, caller, input)).code)
  }
  return { caller, vouchers: { USD: await issue('USD'), EUR: await issue('EUR'), ETH: await issue('ETH') } }
}

/**
 * Switches the spread rule off: no spread, and a tolerance of half the price. The platform refuses such terms, so this
 * drops the constraint as the owner of the tables.
 */
export async function switchRuleOff(owner: Pool): Promise<void> {
  await owner.query('alter table exchange_pairs drop constraint exchange_pairs_spread_covers_tolerance')
  await owner.query(
    `insert into exchange_pairs (currency_a, currency_b, spread_ppm, tolerance_ppm, band_ppm)
      values ('EUR', 'USD', 0, 500000, 100000), ('ETH', 'USD', 0, 500000, 100000), ('ETH', 'EUR', 0, 500000, 100000)`,
  )
}
