import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { setCurrencyActive, setNetworkActive } from './store.ts'

type Currency = {
  abbreviation: string
  image: string
  currencyType: string
  decimals: number
  minAmount: number
  createdAt: string
}
type Network = {
  id: string
  abbreviation: string
  chainID: string
  cryptocurrencies: {
    networkID: string
    currencyAddress: string
    currencyDecimals: string
    platformContractAddress: string
    currencyData: { abbrev: string }
  }[]
}

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
})
afterAll(() => world.close())

const currencies = async (): Promise<Currency[]> => {
  const path = '/merchant-integrations/fetch-supported-currencies'
  return (await world.call<{ currencies: Currency[] }>('GET', path, { keys: 'public' })).data.currencies
}
const networks = async (mode: 'live' | 'test' = 'live'): Promise<Network[]> => {
  const as = mode === 'live' ? { ...world.ours, publicKey: world.ours.livePublicKey } : world.ours
  const path = '/merchant-integrations/fetch-supported-cryptonetworks'
  return (await world.call<Network[]>('GET', path, { keys: 'public', as })).data
}

test('the catalogue has fiat and crypto currencies, with the decimals of ISO 4217', async () => {
  const listed = new Map((await currencies()).map((currency) => [currency.abbreviation, currency]))
  const fiat = [...listed.values()].filter(({ currencyType }) => currencyType === 'Fiat')
  expect(fiat.length).toBeGreaterThanOrEqual(20)
  const decimals = Object.fromEntries([...listed].map(([code, currency]) => [code, currency.decimals]))
  expect(decimals).toMatchObject({
    NGN: 2,
    KES: 2,
    GHS: 2,
    ZAR: 2,
    XOF: 0,
    USD: 2,
    EUR: 2,
    GBP: 2,
    JPY: 0,
    KWD: 3,
    USDT: 18,
    BNB: 18,
  })
  expect(listed.get('USD')).toMatchObject({ minAmount: 0.01, createdAt: '2026-01-01T00:00:00.000Z' })
})

test('networks list their tokens: the zero address for the native coin, decimals as on that network', async () => {
  const listed = await networks()
  expect(listed.map(({ abbreviation }) => abbreviation)).toEqual(['BASE', 'BSC', 'ETH', 'POLYGON'])
  const bsc = listed.find(({ chainID }) => chainID === '56')!
  const coins = new Map(bsc.cryptocurrencies.map((coin) => [coin.currencyData.abbrev, coin]))
  expect(coins.get('BNB')).toMatchObject({
    currencyAddress: `0x${'0'.repeat(40)}`,
    networkID: bsc.id,
    platformContractAddress: '',
  })
  expect(coins.get('USDT')?.currencyDecimals).toBe('18')
  const eth = listed.find(({ chainID }) => chainID === '1')!
  expect(eth.cryptocurrencies.find(({ currencyData }) => currencyData.abbrev === 'USDT')?.currencyDecimals).toBe('6')
})

test('a test key sees no live network, and no test network without a node', async () => {
  restoreAfterTest(() => setNetworkActive(world.pool, 'LOCAL', false))
  await setNetworkActive(world.pool, 'LOCAL', true)
  expect(await networks('test')).toEqual([])
  expect((await networks('live')).map(({ abbreviation }) => abbreviation)).not.toContain('LOCAL')
})

/** Deactivates a currency, until the end of the test. */
const deactivate = async (currency: string): Promise<void> => {
  restoreAfterTest(() => setCurrencyActive(world.pool, currency, true))
  await setCurrencyActive(world.pool, currency, false)
}

test('the lists leave out currencies and networks that the operator deactivated', async () => {
  await deactivate('SEK')
  await deactivate('USDC')
  restoreAfterTest(() => setNetworkActive(world.pool, 'POLYGON', true))
  await setNetworkActive(world.pool, 'POLYGON', false)
  expect((await currencies()).map(({ abbreviation }) => abbreviation)).not.toContain('SEK')
  const listed = await networks()
  expect(listed.map(({ abbreviation }) => abbreviation)).not.toContain('POLYGON')
  expect(
    listed.flatMap(({ cryptocurrencies }) => cryptocurrencies.map(({ currencyData }) => currencyData.abbrev)),
  ).not.toContain('USDC')
})

test('a balance in an inactive currency is still shown', async () => {
  await deactivate('SEK')
  const reply = await world.call('GET', '/merchant-integrations/fetch-balance?currencyAbbreviation=SEK')
  expect(reply.status).toBe(200)
})

test('every logo in a response exists and is an SVG of ours', async () => {
  for (const { image, abbreviation } of await currencies()) {
    expect(image).toBe(`https://pay.example/logos/currency/${abbreviation}.svg`)
    const reply = await world.call('GET', new URL(image).pathname, { keys: 'none' })
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'image/svg+xml'])
    expect(reply.text).toMatch(/^<svg /)
  }
  expect((await world.call('GET', '/logos/network/BSC.svg', { keys: 'none' })).status).toBe(200)
  for (const path of ['/logos/currency/XXX.svg', '/logos/other/USD.svg', '/logos/currency/%3Cscript%3E.svg'])
    expect((await world.call('GET', path, { keys: 'none' })).status).toBe(404)
})

test('requests without a key are refused with 401', async () => {
  const reply = await world.call('GET', '/merchant-integrations/fetch-supported-currencies', { keys: 'none' })
  expect(reply.status).toBe(401)
})
