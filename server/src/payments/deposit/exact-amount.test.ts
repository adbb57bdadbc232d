// What a shop's software does with a quoted amount: it parses JSON, computes in doubles, and pays.
import { parseEther, parseUnits, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createPool } from '../../base/db.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { roundUpToDouble } from './double-safe.ts'

const M = '/merchant-integrations'
const settings = '/merchant-integrations-server/deposit-settings'
let world: ChainWorld
beforeAll(async () => {
  world = await createChainWorld()
  await setRates()
  await world.convertFree('ETH', 'USD')
  await world.settle()
  await world.settle()
})
afterAll(() => world.stop())

const setRates = async (eth = '1937.31'): Promise<void> => {
  await setManualRate(world.pool, 'ETH', 'USD', eth, world.clock)
  await setManualRate(world.pool, 'USDT', 'USD', '1', world.clock)
}
type Quoted = { address: Hex; amountToDeposit: number; amountToDepositExact: string; paymentUri: string }
async function request(reference_id: string, amount: number, payWith = 'ETH'): Promise<Quoted> {
  const body = { amount, blockchainNetworkId: world.networkId, currency_abbreviation: 'USD', reference_id }
  const { data } = await world.call<Quoted>('POST', `${M}/deposit-address-payment-request`, {
    keys: 'public',
    body: { ...body, pay_with_currency_abbreviation: payWith },
  })
  return data
}
const pay = (to: Hex, value: bigint): Promise<Hex> => world.client.sendTransaction({ to, value })
/** Returns the status of the reply. The tolerance is the default again at the end of the test. */
async function setTolerance(underpaymentTolerancePercentage: unknown): Promise<number> {
  restoreAfterTest(() => world.post(settings, { underpaymentTolerancePercentage: 0.1 }))
  return (await world.post(settings, { underpaymentTolerancePercentage })).status
}

test('an amount that was parsed as a double and written again pays the deposit in full', async () => {
  const before = await world.balance()
  for (const [i, amount] of [770.77, 0.07, 12_345.67].entries()) {
    const { address, amountToDeposit, amountToDepositExact } = await request(`double-${i}`, amount)
    expect(amountToDepositExact).toBe(String(amountToDeposit))
    expect(amountToDepositExact.replace(/^0\.0*|\./g, '').length).toBeLessThanOrEqual(15)
    await setTolerance(0)
    await pay(address, parseEther(String(amountToDeposit)))
    await world.settle()
    expect(await world.statusOf(`double-${i}`)).toBe('COMPLETED')
  }
  expect((await world.balance()) - before).toBeCloseTo(770.77 + 0.07 + 12_345.67, 2)
})

test('rounding to a double never rounds down and keeps whole units of a token', () => {
  for (const minor of [1n, 10n ** 15n, 10n ** 15n + 1n, 397_841_881_256_697_131n, 999_999_999_999_999_999n]) {
    const rounded = roundUpToDouble(minor)
    const step = 10n ** BigInt(Math.max(0, String(minor).length - 15))
    expect(rounded >= minor && rounded - minor < step).toBe(true)
    expect(
      BigInt(Number(rounded).toLocaleString('fullwide', { useGrouping: false, maximumSignificantDigits: 15 })),
    ).toBe(rounded)
  }
  expect(roundUpToDouble(25_000_001n * 10n ** 12n)).toBe(25_000_001n * 10n ** 12n)
})

test('the payment address contains network, currency and amount as EIP-681 says', async () => {
  const coin = await request('uri-coin', 25)
  expect(coin.paymentUri).toBe(`ethereum:${coin.address}@31337?value=${parseEther(coin.amountToDepositExact)}`)
  const token = await request('uri-token', 25, 'USDT')
  const units = parseUnits(token.amountToDepositExact, 6)
  expect(token.paymentUri).toMatch(/^ethereum:0x[0-9a-fA-F]{40}@31337\/transfer\?/)
  expect(token.paymentUri).toContain(`${world.token}@`)
  expect(token.paymentUri.split('?')[1]).toBe(`address=${token.address}&uint256=${units}`)
})

test('the quoted charges have the exact amount as a string', async () => {
  const body = { amount: 770.77, blockchainNetworkId: world.networkId, currency_abbreviation: 'USD' }
  const { data } = await world.call('POST', `${M}/request-wallet-deposit-charges`, {
    keys: 'public',
    body: { ...body, pay_with_currency_abbreviation: 'ETH' },
  })
  expect(data.amountToDepositExact).toBe(String(data.totalDeductable))
})

test('a merchant has a tolerance of 0.1 % and can set another one from 0 to 5 %', async () => {
  const read = async (as = world.ours) => (await world.get(settings, as)).data
  expect(await read(world.theirs)).toEqual({ underpaymentTolerancePercentage: 0.1 })
  expect(await setTolerance(0.25)).toBe(200)
  expect(await read()).toEqual({ underpaymentTolerancePercentage: 0.25 })
  expect(await read(world.theirs)).toEqual({ underpaymentTolerancePercentage: 0.1 })
  expect(await setTolerance(5.01)).toBe(400)
  expect(await setTolerance(-1)).toBe(400)
  expect(await setTolerance(0.123_45)).toBe(422)
  expect((await world.call('POST', settings, { keys: 'public', body: {} })).status).toBe(403)
  expect(await read()).toEqual({ underpaymentTolerancePercentage: 0.25 })
})

test('within the tolerance a deposit completes and credits what arrived; below it the deposit stays open', async () => {
  await setTolerance(0.1)
  const before = await world.balance()
  const within = await request('within', 1_000)
  const below = await request('below', 1_000)
  const total = parseEther(within.amountToDepositExact)
  await pay(within.address, (total * 9_995n) / 10_000n)
  await pay(below.address, (parseEther(below.amountToDepositExact) * 998n) / 1_000n)
  await world.settle()
  expect(await world.statusOf('within')).toBe('COMPLETED')
  expect(await world.statusOf('below')).not.toBe('COMPLETED')
  const credited = (await world.balance()) - before
  expect(credited).toBeGreaterThan(1_000 * 0.999)
  expect(credited).toBeLessThan(1_000)
})

test('after a new price the merchant loses only what is missing, at the price of the last payment', async () => {
  await setTolerance(0.1)
  const before = await world.balance()
  const { address, amountToDepositExact } = await request('repriced', 1_000)
  await pay(address, parseEther(amountToDepositExact) / 2n)
  await world.settle()
  restoreAfterTest(() => setRates())
  await setRates('1500')
  await pay(address, 1n)
  await world.settle()
  const { amountToDepositExact: raised } = await request('repriced', 1_000)
  expect(parseEther(raised) > parseEther(amountToDepositExact)).toBe(true)
  await pay(address, parseEther(raised) - parseEther(amountToDepositExact) / 2n - 1_000n)
  await world.settle()
  await setRates()
  expect(await world.statusOf('repriced')).toBe('COMPLETED')
  expect((await world.balance()) - before).toBeCloseTo(999.99, 2)
  const owner = createPool(world.ownerUrl, 1)
  expect(await verifyLedger(owner)).toEqual([])
  await owner.end()
})
