import { afterAll, beforeAll, expect, test } from 'vitest'
import { listCurrencies } from '../../src/catalogue/currency/store.ts'
import { findRate } from '../../src/catalogue/currency/rates.ts'
import { systemClock } from '../../src/base/clock.ts'
import { type ChainWorld, createChainWorld } from '../test/chain-world.ts'
import { setDemoRates } from './demo.ts'
import { registerExplorer } from './explorer.ts'

let world: ChainWorld
let nodeUrl: string
beforeAll(async () => {
  world = await createChainWorld((url) => {
    nodeUrl = url
    return [url]
  })
  registerExplorer(world.app, nodeUrl)
})
afterAll(() => world.stop())

type Network = { abbreviation: string; rpcUrl: string; cryptocurrencies: { currencyData: { abbrev: string } }[] }

const show = async (path: string): Promise<[number, string]> => {
  const { status, text } = await world.call('GET', `/explorer${path}`, { keys: 'none' })
  return [status, text]
}

test('a test key sees the test network with the address of its node, and the tokens it can pay with', async () => {
  const reply = await world.call('GET', '/merchant-integrations/fetch-supported-cryptonetworks', { keys: 'public' })
  const networks = (JSON.parse(reply.text) as { data: Network[] }).data
  expect(networks).toMatchObject([{ abbreviation: 'LOCAL', rpcUrl: nodeUrl }])
  const tokens = networks.flatMap(({ cryptocurrencies }) => cryptocurrencies.map((one) => one.currencyData.abbrev))
  expect(tokens.toSorted()).toEqual(['ETH', 'USDT'])
})

test('the explorer shows a payment with its block and both addresses', async () => {
  const { client, treasury } = world
  const hash = await client.sendTransaction({ to: treasury, value: 25n * 10n ** 16n })
  const { blockNumber } = await client.waitForTransactionReceipt({ hash })
  const [status, text] = await show(`/tx/${hash}`)
  expect(status).toBe(200)
  for (const shown of ['success', '0.25 ETH', `/explorer/block/${blockNumber}`, treasury.toLowerCase()])
    expect(text.toLowerCase()).toContain(shown.toLowerCase())
  expect(await show(`/block/${blockNumber}`)).toEqual([200, expect.stringContaining(hash)])
  expect(await show('')).toEqual([200, expect.stringContaining(hash)])
  expect(await show(`/address/${treasury}`)).toEqual([200, expect.stringContaining('10000.25')])
})

test('the explorer answers 404 for what is not on the chain and for what is not an address', async () => {
  for (const path of [`/tx/0x${'1'.repeat(64)}`, '/tx/1', '/block/99999999', '/block/x', '/address/<b>'])
    expect((await show(path))[0], path).toBe(404)
})

test('every pair of currencies of the catalogue has a rate in the demo', async () => {
  await setDemoRates(world.pool)
  const codes = (await listCurrencies(world.pool)).map(({ code }) => code)
  expect(codes.length).toBeGreaterThan(30)
  // Pairs without USD go through it, so these are enough.
  for (const code of codes) await findRate(world.pool, code, 'USD', systemClock)
  expect((await findRate(world.pool, 'BNB', 'KWD', systemClock)).source).toBe('manual+manual')
})
