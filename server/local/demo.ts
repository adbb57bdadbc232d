// The demo world of `npm run dev`: two merchants in test mode with keys, charges, money and a past. All play money.
import { systemClock } from '../src/base/clock.ts'
import { createPool, inTransaction, type Pool } from '../src/base/db.ts'
import { withEnvironment } from '../src/base/environment.ts'
import { createIds } from '../src/base/id.ts'
import { systemRandom } from '../src/base/random.ts'
import { saveRule } from '../src/charge/store.ts'
import { listNetworks, setNetworkActive } from '../src/currency/store.ts'
import { setManualRate } from '../src/currency/rates.ts'
import type { MerchantCaller, Role } from '../src/http/caller.ts'
import { setInvoiceCurrencies } from '../src/invoice/store.ts'
import { openLedger } from '../src/ledger/post.ts'
import { createMerchant } from '../src/merchant/create-merchant.ts'
import { fundMerchant } from '../src/merchant/fund.ts'
import { createKey } from '../src/merchant/keys.ts'
import { joinMerchant } from '../src/merchant/members.ts'
import type { Config } from '../src/config.ts'
import { hashPassword } from '../src/user/password.ts'
import { setPin } from '../src/user/pin.ts'
import { findPeople, insertPerson, type NewPerson, type Person } from '../src/user/store.ts'
import { showCode } from '../src/voucher/code.ts'
import { issueVoucher } from '../src/voucher/issue.ts'
import { createKeyRing } from '../src/voucher/key-ring.ts'
import { fundWallet } from '../src/wallet/fund.ts'
import type { DemoMember } from './demo-acts.ts'
import { makeHistory, type Names, type Period } from './demo-history.ts'
import { createPast, startOfDay } from './demo-past.ts'

/** Those who sign in. All of them with the same words: it is a demo. */
const password = 'demo password'
const pin = '246810'
type DemoPerson = { email: string; password: string; pin: string }

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
  }
  member: DemoPerson
  staff: Record<Role, DemoPerson>
  operator: DemoPerson
  user: DemoPerson & { username: string; phone: string }
  currencies: { fiat: string; crypto: string }
  network: { id: string; abbreviation: string }
}

/** A rate counts for an hour, a coin's for 5 minutes, so these are set again and again. */
export async function setDemoRates(pool: Pool): Promise<void> {
  for (const [from, to, rate] of [
    ['USD', 'NGN', '1530.25'],
    ['EUR', 'USD', '1.0835'],
    ['ETH', 'USD', '3150.40'],
  ] as const)
    await setManualRate(pool, from, to, rate, systemClock)
}

/** Makes the demo world in an empty database, as if its shop had been open for so many days. */
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
    await setNetworkActive(pool, 'LOCAL', true)
    for (const [currency, fixed] of [
      ['USD', 10n],
      ['EUR', 10n],
      ['NGN', 50_00n],
      ['ETH', 0n],
    ] as const)
      await saveRule(pool, 'test', currency, { fixed, sharePpm: 15_000n })
    const merchant = async (
      code: string,
      companyName: string,
      description: string,
      dollars: string,
    ): Promise<DemoMerchant & MerchantCaller> => {
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
    // What they take invoices in.
    const invoicesIn = (environmentId: string) =>
      withEnvironment(pool, environmentId, (tx) => setInvoiceCurrencies(tx, environmentId, ['USD', 'ETH']))
    const local = (await listNetworks(pool)).find(({ abbreviation }) => abbreviation === 'LOCAL')
    if (local === undefined) throw new Error('The local network is not in the catalogue.')
    const shop = await merchant('DEMOSHOP', 'Demo Shop', 'Everything for the demo', '1000.00')
    const other = await merchant('OTHERSHOP', 'Other Shop', 'The shop next door', '0')
    for (const { environmentId } of [shop, other]) await invoicesIn(environmentId)
    const voucher = async (lockPin?: string): Promise<string> => {
      const reference = `DEMO-VOUCHER-${lockPin === undefined ? 'PLAIN' : 'LOCKED'}`
      const ask = { amount: '100.00', currency: 'USD', reference, paidFrom: 'treasury', lockPin } as const
      return showCode((await issueVoucher(tools, shop, ask)).code)
    }
    const value = { amount: 100, currency: 'USD' }
    const words = { password, pin }
    const passwordHash = await hashPassword(password)
    const person = async (names: Omit<NewPerson, 'id' | 'language'>): Promise<Person> => {
      const id = newId()
      await inTransaction(pool, (tx) => insertPerson(tx, { ...names, id, language: 'en' }, passwordHash, clock()))
      await setPin(tools, id, pin)
      const made = (await findPeople(pool, [id])).get(id)
      if (made === undefined) throw new Error('A person was made and is not there.')
      return made
    }
    const hire = async (names: Names, role: Role): Promise<DemoMember> => {
      const { id } = await person({ ...names, realm: 'staff' })
      await inTransaction(pool, (tx) => joinMerchant(tx, id, shop.merchantId, role, clock()))
      return { id, role }
    }
    const user = { email: 'ada@demo.example', username: 'ada', phone: '+2348030000001' }
    const ada = await person({ realm: 'test', surname: 'Obi', otherNames: 'Ada', ...user })
    for (const [currency, amount] of [
      ['USD', '250.00'],
      ['EUR', '80.00'],
    ] as const)
      await fundWallet({ pool, ledger, newId }, ada, 'test', { currency, amount, reference: `DEMO-${currency}` })
    await person({ realm: 'test', surname: 'Bello', otherNames: 'Ben', email: 'ben@demo.example', username: 'ben' })
    const owner = await hire(staffNames.owner, 'owner')
    const accountant = await hire(staffNames.accountant, 'accountant')
    await hire(staffNames.developer, 'developer')
    const operator = { surname: 'Demo', otherNames: 'Oya', email: 'operator@demo.example' }
    await person({ ...operator, realm: 'staff', isOperator: true })
    const meet = (names: Names): Promise<Person> =>
      person({ ...names, realm: 'test', username: names.otherNames.toLowerCase() })
    await makeHistory({ config, tools, shop }, { owner, accountant, hire, meet }, past, period)
    const keysOf = ({ code, publicKey, secretKey }: DemoMerchant): DemoMerchant => ({ code, publicKey, secretKey })
    return {
      merchant: keysOf(shop),
      otherMerchant: keysOf(other),
      vouchers: {
        plain: { code: await voucher(), ...value },
        locked: { code: await voucher('4821'), pin: '4821', ...value },
      },
      member: { email: staffNames.owner.email, ...words },
      staff: {
        owner: { email: staffNames.owner.email, ...words },
        cashier: { email: 'cashier@demo.example', ...words },
        accountant: { email: staffNames.accountant.email, ...words },
        developer: { email: staffNames.developer.email, ...words },
      },
      operator: { email: operator.email, ...words },
      user: { ...user, ...words },
      currencies: { fiat: 'USD', crypto: 'ETH' },
      network: { id: local.id, abbreviation: local.abbreviation },
    }
  } finally {
    await ledger.close()
    await pool.end()
  }
}
