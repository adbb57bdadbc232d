import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../local/test/chain-world.ts'
import { createPool, type Pool } from '../base/db.ts'
import { setManualRate } from '../catalogue/currency/rates.ts'
import { findFinality } from './store.ts'
import { describeTrust } from './trust.ts'

let world: ChainWorld
let owner: Pool
beforeAll(async () => {
  world = await createChainWorld()
  owner = createPool(world.ownerUrl, 1)
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await world.settle()
})
afterAll(async () => {
  await owner.end()
  await world.stop()
})

const setNetwork = (mode: 'live' | 'test', isTrusted: boolean) =>
  owner.query(`update networks set mode = $1, trusts_one_node = $2 where abbreviation = 'LOCAL'`, [mode, isTrusted])
const finalNumber = async (): Promise<bigint> => (await findFinality(world.pool, world.networkId))?.number ?? 0n
const requestLive = (reference: string) => {
  const { livePublicKey, liveSecretKey } = world.ours
  return world.call('POST', '/merchant-integrations/deposit-address-payment-request', {
    as: { ...world.ours, publicKey: livePublicKey, secretKey: liveSecretKey },
    body: {
      ...{ amount: 25, blockchainNetworkId: world.networkId, currency_abbreviation: 'USD', reference_id: reference },
      ...{ pay_with_currency_abbreviation: 'ETH', metadata: {} },
    },
  })
}

test('a live network with one node is not read and gives out no address', async () => {
  await setNetwork('live', false)
  const before = await finalNumber()
  await world.settle(20)
  expect(await finalNumber()).toBe(before)
  const reply = await requestLive('one-node')
  expect([reply.status, reply.text]).toEqual([503, expect.stringContaining('CHAIN_ONE_NODE')])
  const nodes = { LOCAL: ['http://one.example'] }
  expect(await describeTrust(world.pool, nodes)).toEqual([{ network: 'LOCAL', nodes: 'one, refused' }])
})

test('a live network is read once the operator trusts its only node', async () => {
  await setNetwork('live', true)
  const before = await finalNumber()
  await world.settle(20)
  expect(await finalNumber()).toBeGreaterThan(before)
  expect((await requestLive('trusted')).status).toBe(200)
  const one = { LOCAL: ['http://one.example'] }
  expect(await describeTrust(world.pool, one)).toEqual([{ network: 'LOCAL', nodes: 'one, trusted' }])
  const two = { LOCAL: ['http://one.example', 'http://two.example'] }
  expect(await describeTrust(world.pool, two)).toEqual([{ network: 'LOCAL', nodes: 'two or more' }])
})

test('a test network needs only one node', async () => {
  await setNetwork('test', false)
  const before = await finalNumber()
  await world.settle(20)
  expect(await finalNumber()).toBeGreaterThan(before)
  expect(await describeTrust(world.pool, { LOCAL: ['http://one.example'] })).toEqual([])
})
