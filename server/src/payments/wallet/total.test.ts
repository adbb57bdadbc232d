import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addPerson, type VisitingUser } from '../../../local/test/visitor.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import type { WireWallet } from './wire.ts'

let world: ApiWorld
let now = new Date('2026-03-01T12:00:00Z')
const clock = () => now
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url, clock)
})
afterAll(() => world.close())

const setRate = (from: string, to: string, rate: string) => setManualRate(world.pool, from, to, rate, clock)
const laterBy = (minutes: number) => (now = new Date(now.getTime() + minutes * 60_000))

async function holding(funds: Record<string, string>): Promise<VisitingUser> {
  const user = await addPerson(world, 'test')
  for (const [currency, amount] of Object.entries(funds))
    await world.fund(amount, { user: user.person.email, currency })
  return user
}
const totalOf = async (user: VisitingUser, query = ''): Promise<WireWallet['total']> =>
  (await user.get(`/wallet${query}`)).as<{ data: WireWallet }>().data.total

test('the total adds all balances at the market rate, without a spread', async () => {
  await setRate('EUR', 'USD', '1.0835')
  const ada = await holding({ USD: '250.00', EUR: '80.00' })
  // 250 + 80 × 1.0835
  expect(await totalOf(ada)).toMatchObject({ currency: 'USD', amount: '336.68', isConverted: true, leftOut: [] })
})

test('the total is rounded down once, not for each balance', async () => {
  await setRate('EUR', 'USD', '1.005')
  await setRate('GBP', 'USD', '1.006')
  const ada = await holding({ EUR: '1.00', GBP: '1.00' })
  // 1.005 + 1.006 is 2.011. Rounded one by one it would be 2.00.
  expect((await totalOf(ada)).amount).toBe('2.01')
})

test('a balance with 18 decimals is converted to the last digit, in both directions', async () => {
  await setRate('ETH', 'USD', '3000')
  const ada = await holding({ ETH: '0.123456789012345678' })
  expect(await totalOf(ada)).toMatchObject({ currency: 'USD', amount: '370.37', isConverted: true })
  const ben = await holding({ ETH: '0.000000000000000001', USD: '1.00' })
  // A third of a thousandth, and one wei.
  expect(await totalOf(ben, '?currency=ETH')).toMatchObject({ currency: 'ETH', amount: '0.000333333333333334' })
})

test('a currency without a rate is left out of the total and named', async () => {
  await setRate('EUR', 'USD', '1.1')
  const ada = await holding({ USD: '10.00', EUR: '10.00', KES: '500.00' })
  expect(await totalOf(ada)).toMatchObject({ amount: '21.00', isConverted: true, leftOut: ['KES'] })
})

test('a rate that is too old counts as no rate, until it is renewed', async () => {
  await setRate('EUR', 'USD', '1.1')
  await setRate('ETH', 'USD', '3000')
  const ada = await holding({ USD: '10.00', EUR: '10.00', ETH: '0.01' })
  expect((await totalOf(ada)).amount).toBe('51.00')
  // Rates of crypto currencies are recent for 5 minutes, others for an hour.
  laterBy(6)
  expect(await totalOf(ada)).toMatchObject({ amount: '21.00', isConverted: true, leftOut: ['ETH'] })
  laterBy(60)
  expect(await totalOf(ada)).toMatchObject({ amount: '10.00', isConverted: false, leftOut: ['ETH', 'EUR'] })
  await setRate('EUR', 'USD', '1.2')
  expect(await totalOf(ada)).toMatchObject({ amount: '22.00', leftOut: ['ETH'] })
})

test('without money the total is zero, and an empty balance needs no rate', async () => {
  const ada = await holding({})
  expect(await totalOf(ada)).toMatchObject({ currency: 'USD', amount: '0.00', isConverted: false, leftOut: [] })
  const ben = await holding({ KES: '5.00' })
  await ben.post('/wallet/send', { to: ada.person.username, amount: '5.00', currency: 'KES', pin: '135790' })
  expect(await totalOf(ben)).toMatchObject({ amount: '0.00', isConverted: false, leftOut: [] })
})

test('the total is in the wanted currency, or in the only fiat currency that the user has', async () => {
  await setRate('EUR', 'USD', '1.25')
  await setRate('ETH', 'USD', '3000')
  const ada = await holding({ EUR: '8.00', ETH: '0.01' })
  // 8 + 30 ÷ 1.25, through US dollars.
  expect(await totalOf(ada)).toMatchObject({ currency: 'EUR', name: 'Euro', amount: '32.00' })
  expect(await totalOf(ada, '?currency=USD')).toMatchObject({ currency: 'USD', amount: '40.00' })
  const ben = await holding({ EUR: '8.00' })
  expect(await totalOf(ben)).toMatchObject({ currency: 'EUR', amount: '8.00', isConverted: false })
  const refused = await ben.get('/wallet?currency=XXX')
  expect([refused.status, refused.json().error?.code]).toEqual([422, 'CURRENCY_UNKNOWN'])
})
