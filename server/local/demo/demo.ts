// The demo data of `npm run dev`: two merchants in test mode with keys, fees, money and a history.
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { createPool, inTransaction, type Pool } from '../../src/base/db.ts'
import { withEnvironment } from '../../src/base/environment.ts'
import { createIds, type NewId } from '../../src/base/id.ts'
import { systemRandom } from '../../src/base/random.ts'
import { saveRule } from '../../src/catalogue/charge/store.ts'
import { listNetworks, setNetworkActive } from '../../src/catalogue/currency/store.ts'
import { setManualRate } from '../../src/catalogue/currency/rates.ts'
import type { MerchantCaller, Role } from '../../src/http/caller.ts'
import { setInvoiceCurrencies } from '../../src/billing/invoice/store.ts'
import { type Ledger, openLedger } from '../../src/ledger/post.ts'
import { createMerchant } from '../../src/identity/merchant/create-merchant.ts'
import { fundMerchant } from '../../src/identity/merchant/fund.ts'
import { createKey } from '../../src/identity/merchant/keys.ts'
import { joinMerchant } from '../../src/identity/merchant/members.ts'
import type { Config } from '../../src/config.ts'
import { hashPassword } from '../../src/identity/user/password.ts'
import { setPin } from '../../src/identity/user/pin.ts'
import { findUsers, insertUser, type NewUser, type User } from '../../src/identity/user/store.ts'
import { showCode } from '../../src/vouchers/code/code.ts'
import { issueVoucher } from '../../src/vouchers/voucher/issue.ts'
import { createKeyRing, type KeyRing } from '../../src/vouchers/code/key-ring.ts'
import { fundWallet } from '../../src/payments/wallet/fund.ts'
import type { DemoMember } from './demo-acts.ts'
import { giveBrand } from './demo-brand.ts'
import { type Cast, makeHistory, type Names, type Period } from './demo-history.ts'
import { createPast, startOfDay } from './demo-past.ts'

/** All demo users have the same password and PIN. */
const password = 'demo password'
const pin = '246810'
type DemoUser = { email: string; password: string; pin: string }

const staffNames = {
  owner: { surname: 'Demo', otherNames: 'Olu', email: 'owner@demo.example' },
  accountant: { surname: 'Ajayi', otherNames: 'Folake', email: 'accountant@demo.example' },
  developer: { surname: 'Musa', otherNames: 'Ibrahim', email: 'developer@demo.example' },
}

type DemoMerchant = { code: string; publicKey: string; secretKey: string }
export type DemoWorld = {
  merchant: DemoMerchant
  otherMerchant: DemoMerchant
  vouchers: {
    plain: { code: string; amount: number; currency: string }
    locked: { code: string; pin: string; amount: number; currency: string }
    /** Held by a vault on the local network. */
    onchain?: { code: string; network: string; currency: string }
  }
  member: DemoUser
  staff: Record<Role, DemoUser>
  /** `totpSecret` is the base32 secret of the authenticator app, once it is set up. */
  operator: DemoUser & { totpSecret?: string }
  user: DemoUser & { username: string; phone: string }
  currencies: { fiat: string; crypto: string }
  network: { id: string; abbreviation: string }
}

/** A rate to the US dollar for every currency of the catalogue, so that every pair has one. */
const demoRates: readonly (readonly [from: string, to: string, rate: string])[] = [
  ['USD', 'NGN', '1530.25'],
  ['EUR', 'USD', '1.0835'],
  ['GBP', 'USD', '1.2710'],
  ['USD', 'KES', '129.25'],
  ['USD', 'GHS', '15.40'],
  ['USD', 'ZAR', '18.15'],
  ['USD', 'XOF', '605.40'],
  ['USD', 'XAF', '605.40'],
  ['USD', 'EGP', '49.30'],
  ['USD', 'MAD', '9.95'],
  ['USD', 'TND', '3.120'],
  ['USD', 'UGX', '3680'],
  ['USD', 'TZS', '2640'],
  ['USD', 'RWF', '1370'],
  ['USD', 'JPY', '152.80'],
  ['USD', 'CNY', '7.18'],
  ['USD', 'INR', '84.10'],
  ['USD', 'AED', '3.6725'],
  ['KWD', 'USD', '3.2550'],
  ['BHD', 'USD', '2.6525'],
  ['CHF', 'USD', '1.1480'],
  ['USD', 'SEK', '10.65'],
  ['USD', 'CAD', '1.3890'],
  ['AUD', 'USD', '0.6610'],
  ['USD', 'BRL', '5.72'],
  ['USD', 'MXN', '19.95'],
  ['ETH', 'USD', '3150.40'],
  ['BNB', 'USD', '612.30'],
  ['POL', 'USD', '0.4120'],
  ['USDT', 'USD', '1'],
  ['USDC', 'USD', '1'],
]

/** Rates expire after an hour, those of crypto after 5 minutes, so the caller repeats this. */
export async function setDemoRates(pool: Pool): Promise<void> {
  for (const [from, to, rate] of demoRates) await setManualRate(pool, from, to, rate, systemClock)
}

type Tools = {
  readonly pool: Pool
  readonly clock: Clock
  readonly newId: NewId
  readonly random: typeof systemRandom
  readonly pepper: Buffer
  readonly ledger: Ledger
  readonly keyRing: KeyRing
}
type Shop = DemoMerchant & MerchantCaller
type UserNames = Omit<NewUser, 'id' | 'language'>
type AddUser = (names: UserNames) => Promise<User>

const demoUser = { email: 'ada@demo.example', username: 'ada', phone: '+2348030000001' }
const operatorNames = { surname: 'Demo', otherNames: 'Oya', email: 'operator@demo.example' }

/** Creates the demo data in an empty database, as if its shop had been open for so many days. */
export async function createDemoWorld(config: Config, period: Period): Promise<DemoWorld> {
  const { databaseUrl: url, keyPeppers } = config
  const past = createPast(startOfDay(period.until, period.days))
  const { clock } = past
  const pool = createPool(config.operatorDatabaseUrl)
  const newId = createIds(clock, systemRandom)
  const ledger = openLedger({ url, clock, newId })
  const keyRing = createKeyRing(config.keyRing)
  const tools = { pool, clock, newId, random: systemRandom, pepper: keyPeppers[0], ledger, keyRing }
  try {
    const network = await prepareCatalogue(pool)
    const shop = await addMerchant(tools, 'DEMOSHOP', 'Demo Shop', 'Everything for the demo', '1000.00')
    const other = await addMerchant(tools, 'OTHERSHOP', 'Other Shop', 'The shop next door', '0')
    for (const { environmentId } of [shop, other])
      await withEnvironment(pool, environmentId, (tx) => setInvoiceCurrencies(tx, environmentId, ['USD', 'ETH']))
    await giveBrand(pool, shop.environmentId, clock)
    const addUser = await createAddUser(tools)
    await addWalletUsers(tools, addUser)
    const cast = await addStaff(tools, addUser, shop)
    await makeHistory({ config, tools, shop }, cast, past, period)
    return {
      merchant: keysOf(shop),
      otherMerchant: keysOf(other),
      vouchers: {
        plain: { code: await issueDemoVoucher(tools, shop), amount: 100, currency: 'USD' },
        locked: { code: await issueDemoVoucher(tools, shop, '4821'), pin: '4821', amount: 100, currency: 'USD' },
      },
      ...listSignIns(),
      currencies: { fiat: 'USD', crypto: 'ETH' },
      network,
    }
  } finally {
    await ledger.close()
    await pool.end()
  }
}

/** Enables the local network and sets the fees of redemptions. */
async function prepareCatalogue(pool: Pool): Promise<DemoWorld['network']> {
  await setNetworkActive(pool, 'LOCAL', true)
  for (const [currency, fixed] of [
    ['USD', 10n],
    ['EUR', 10n],
    ['NGN', 50_00n],
    ['ETH', 0n],
  ] as const)
    await saveRule(pool, 'test', currency, { fixed, sharePpm: 15_000n })
  const local = (await listNetworks(pool)).find(({ abbreviation }) => abbreviation === 'LOCAL')
  if (local === undefined) throw new Error('The local network is not in the catalogue.')
  return { id: local.id, abbreviation: local.abbreviation }
}

async function addMerchant(
  tools: Tools,
  code: string,
  companyName: string,
  description: string,
  dollars: string,
): Promise<Shop> {
  const { pool, clock, newId, ledger } = tools
  const profile = {
    code,
    companyName,
    tradingName: companyName,
    description,
    avatar: '',
    homeCurrency: 'USD',
    timeZone: 'Africa/Lagos',
  }
  const { merchantId, testId: environmentId } = await createMerchant(pool, profile, clock, newId)
  const environment = { environmentId, mode: 'test' as const }
  const { key: publicKey } = await createKey(tools, environment, { kind: 'public', name: 'Demo shop' })
  const { id: keyId, key: secretKey } = await createKey(tools, environment, { kind: 'secret', name: 'Demo server' })
  const funding = { direction: 'in', account: 'balance', currency: 'USD', reference: 'DEMO-1' } as const
  if (dollars !== '0') await fundMerchant({ pool, ledger, newId }, environment, { ...funding, amount: dollars })
  return { code, publicKey, secretKey, merchantId, keyId, hasSecret: true, ...environment }
}

async function createAddUser(tools: Tools): Promise<AddUser> {
  const { pool, newId, clock } = tools
  const passwordHash = await hashPassword(password)
  return async (names) => {
    const id = newId()
    await inTransaction(pool, (tx) => insertUser(tx, { ...names, id, language: 'en' }, passwordHash, clock()))
    await setPin(tools, id, pin)
    const added = (await findUsers(pool, [id])).get(id)
    if (added === undefined) throw new Error('The user was not inserted.')
    return added
  }
}

async function addWalletUsers({ pool, ledger, newId }: Tools, addUser: AddUser): Promise<void> {
  const ada = await addUser({ realm: 'test', surname: 'Obi', otherNames: 'Ada', ...demoUser })
  for (const [currency, amount] of [
    ['USD', '250.00'],
    ['EUR', '80.00'],
  ] as const)
    await fundWallet({ pool, ledger, newId }, ada, 'test', { currency, amount, reference: `DEMO-${currency}` })
  await addUser({ realm: 'test', surname: 'Bello', otherNames: 'Ben', email: 'ben@demo.example', username: 'ben' })
}

/** Adds the owner, the accountant, the developer and the operator. The history adds cashiers and customers. */
async function addStaff({ pool, clock }: Tools, addUser: AddUser, { merchantId }: Shop): Promise<Cast> {
  const hire = async (names: Names, role: Role): Promise<DemoMember> => {
    const { id } = await addUser({ ...names, realm: 'staff' })
    await inTransaction(pool, (tx) => joinMerchant(tx, id, merchantId, role, clock()))
    return { id, role }
  }
  const owner = await hire(staffNames.owner, 'owner')
  const accountant = await hire(staffNames.accountant, 'accountant')
  await hire(staffNames.developer, 'developer')
  await addUser({ ...operatorNames, realm: 'staff', isOperator: true })
  const meet = (names: Names): Promise<User> =>
    addUser({ ...names, realm: 'test', username: names.otherNames.toLowerCase() })
  return { owner, accountant, hire, meet }
}

async function issueDemoVoucher(tools: Tools, shop: Shop, lockPin?: string): Promise<string> {
  const reference = `DEMO-VOUCHER-${lockPin === undefined ? 'PLAIN' : 'LOCKED'}`
  const input = { amount: '100.00', currency: 'USD', reference, paidFrom: 'treasury', lockPin } as const
  return showCode((await issueVoucher(tools, shop, input)).code)
}

function listSignIns(): Pick<DemoWorld, 'member' | 'staff' | 'operator' | 'user'> {
  const secrets = { password, pin }
  return {
    member: { email: staffNames.owner.email, ...secrets },
    staff: {
      owner: { email: staffNames.owner.email, ...secrets },
      cashier: { email: 'cashier@demo.example', ...secrets },
      accountant: { email: staffNames.accountant.email, ...secrets },
      developer: { email: staffNames.developer.email, ...secrets },
    },
    operator: { email: operatorNames.email, ...secrets },
    user: { ...demoUser, ...secrets },
  }
}

function keysOf({ code, publicKey, secretKey }: DemoMerchant): DemoMerchant {
  return { code, publicKey, secretKey }
}
