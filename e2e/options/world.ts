// A platform with default settings, and a player who is all of its users and merchants at once.
import { asRole, cloneTemplate } from '../../server/local/database.ts'
import { createPool, inTransaction, type Pool } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { findTerms } from '../../server/src/exchange/store.ts'
import { recordRate } from '../../server/src/exchange/record-rate.ts'
import type { MerchantCaller } from '../../server/src/http/caller.ts'
import { openLedger } from '../../server/src/ledger/post.ts'
import { createMerchant } from '../../server/src/merchant/create-merchant.ts'
import { findPerson, insertPerson, type Person } from '../../server/src/user/store.ts'
import { createFindFacts } from '../../server/src/voucher/facts.ts'
import { issueVoucher } from '../../server/src/voucher/issue.ts'
import { createKeyRing } from '../../server/src/voucher/key-ring.ts'
import { createPinCheck } from '../../server/src/voucher/pin.ts'
import { type ReadCode, readCode } from '../../server/src/voucher/code.ts'
import { fundWallet } from '../../server/src/wallet/fund.ts'
import { type Code, type Market, rateText } from './market.ts'

const usersCount = 12
const merchantsCount = 6
/** More than a long run moves. Ether for as much as the others, at the rate of the first day. */
const purse: Readonly<Record<Code, string>> = { USD: '9000000', EUR: '9000000', ETH: '3600' }
const codes = Object.keys(purse) as Code[]

export type Tools = ReturnType<typeof openTools>
export type Merchant = { readonly caller: MerchantCaller; readonly vouchers: Readonly<Record<Code, ReadCode>> }
export type World = Awaited<ReturnType<typeof createWorld>>

/** What the API builds its use cases with. They are called directly: 100,000 acts over HTTP would take hours. */
function openTools(url: string, clock: () => Date) {
  // The drill sets rates, which is the operator's business.
  const pool = createPool(asRole(url, 'scrip_operator'), 10)
  const newId = createIds(clock, systemRandom)
  const ledger = openLedger({ url, clock, newId })
  const keyRing = createKeyRing([{ id: 1, secret: systemRandom(32) }])
  const findFacts = createFindFacts({ pool, clock, keyRing, settingsMs: 1_000 })
  const checkPin = createPinCheck({ pool, clock, newId, keyRing })
  return { pool, ledger, clock, newId, random: systemRandom, keyRing, seals: keyRing, findFacts, checkPin }
}

export async function createWorld(adminUrl: string, template: string, first: Market) {
  const { url, ownerUrl } = await cloneTemplate(adminUrl, template)
  // As the owner of the tables, from whom no environment's rows are hidden.
  const owner = createPool(ownerUrl, 2)
  let now = first.at
  const tools = openTools(url, () => now)

  /** The clock and the platform's rates become those of a tick. */
  const moveTo = async (market: Market): Promise<void> => {
    now = market.at
    for (const from of ['EUR', 'ETH'] as const) {
      const said = { from, to: 'USD', source: 'market', rate: rateText(market, from), saidAt: market.at }
      const { isHeld } = await recordRate(tools.pool, said)
      if (isHeld) throw new Error(`The platform holds the rate of ${from}: the player would trade at an old one.`)
    }
  }
  await moveTo(first)

  const users: Person[] = []
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
    /** All pairs have the same, unless the operator sets other terms. */
    readTolerance: async (): Promise<bigint> => (await findTerms(tools.pool, 'EUR', 'USD')).tolerancePpm,
    stop: async (): Promise<void> => {
      await tools.ledger.close()
      await tools.pool.end()
      await owner.end()
    },
  }
}

async function addUser(tools: Tools, number: number): Promise<Person> {
  const { pool, clock, newId } = tools
  const email = `player-${number}@example.com`
  const names = { surname: 'Obi', otherNames: 'Ada', language: 'en' } as const
  // Nobody signs in: acts of test mode need neither session nor PIN.
  await inTransaction(pool, (tx) => insertPerson(tx, { id: newId(), realm: 'test', email, ...names }, '', clock()))
  const user = await findPerson(pool, 'test', email)
  if (user === undefined) throw new Error('The user is not there.')
  for (const currency of codes)
    await fundWallet(tools, user, 'test', { currency, amount: purse[currency], reference: currency })
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
    const ask = { amount: purse[currency], currency, reference: `voucher-${currency}`, paidFrom: 'treasury' } as const
    return readCode((await issueVoucher(tools, caller, ask)).code)
  }
  return { caller, vouchers: { USD: await issue('USD'), EUR: await issue('EUR'), ETH: await issue('ETH') } }
}

/**
 * Rule A off: no spread, and a tolerance of half the price. The platform refuses such terms, so the owner of the tables has to
 * drop the constraint first.
 */
export async function switchRuleOff(owner: Pool): Promise<void> {
  await owner.query('alter table exchange_pairs drop constraint exchange_pairs_spread_covers_tolerance')
  await owner.query(
    `insert into exchange_pairs (currency_a, currency_b, spread_ppm, tolerance_ppm, band_ppm)
      values ('EUR', 'USD', 0, 500000, 100000), ('ETH', 'USD', 0, 500000, 100000), ('ETH', 'EUR', 0, 500000, 100000)`,
  )
}
