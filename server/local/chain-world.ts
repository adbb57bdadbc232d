// The API before a network of its own, for tests of deposits: its clock is the network's, and blocks are made when a test says so.
import { createPool } from '../src/base/db.ts'
import { createRpc } from '../src/chain/rpc.ts'
import { startAnvil, sweepKey } from './anvil.ts'
import { createApiWorld } from './api-world.ts'
import { prepareChain } from './chain.ts'
import { asRole } from './database.ts'
import { createTestDatabase } from './test-database.ts'

export type ChainWorld = Awaited<ReturnType<typeof createChainWorld>>

type Wanted = { amount?: unknown; payWith?: string; reference?: string }

export async function createChainWorld(nodesOf: (url: string) => string[] = (url) => [url]) {
  const chain = await startAnvil(['--slots-in-an-epoch', '1'])
  const database = await createTestDatabase()
  let aheadMs = 0
  const clock = () => new Date(Date.now() + aheadMs)
  const nodes = nodesOf(chain.url)
  const settings = { CHAIN_NODES: `LOCAL=${nodes.join(',')}`, SWEEP_KEY: sweepKey }
  const world = await createApiWorld(database.url, clock, settings)
  const prepared = await prepareChain(world.pool, chain.url)
  const rpc = createRpc([chain.url], clock)
  const ask = <T>(method: string, ...params: unknown[]): Promise<T> => rpc.ask<T>(method, params)
  const { rows } = await world.pool.query<{ id: string }>(`select id from networks where abbreviation = 'LOCAL'`)
  const networkId = rows[0]?.id ?? ''

  // As the role that records what is on a network.
  const chainPool = createPool(asRole(database.url, 'scrip_chain'), 4)

  let references = 0
  return {
    ...world,
    ...prepared,
    chainPool,
    ownerUrl: database.ownerUrl,
    ask,
    networkId,
    clock,
    /** Makes blocks until everything before them is final, and does what a worker does. */
    settle: async (blocks = 4): Promise<void> => {
      await ask('anvil_mine', `0x${blocks.toString(16)}`)
      await world.work()
    },
    /** Moves the clock of the network and ours. */
    pass: async (seconds: number): Promise<void> => {
      aheadMs += seconds * 1_000
      await ask('evm_increaseTime', seconds)
      await ask('anvil_mine', '0x1')
    },
    request: async ({ amount = 25, payWith = 'ETH', reference = `deposit-${references++}` }: Wanted = {}) => {
      const body = {
        ...{ amount, blockchainNetworkId: networkId, currency_abbreviation: 'USD', reference_id: reference },
        ...{ pay_with_currency_abbreviation: payWith, metadata: {} },
      }
      const reply = await world.call('POST', '/merchant-integrations/deposit-address-payment-request', {
        keys: 'public',
        body,
      })
      if (reply.status !== 200) throw new Error(reply.text)
      const { data } = JSON.parse(reply.text) as { data: { address: `0x${string}` } }
      const [, digits = ''] = /"amountToDeposit":([\d.]+)/.exec(reply.text) ?? []
      return { reference, address: data.address, toDeposit: digits }
    },
    statusOf: async (reference: string): Promise<string> => {
      const reply = await world.call('GET', `/merchant-integrations-server/verify-transaction/${reference}`)
      return (JSON.parse(reply.text) as { data: { status: string } }).data.status
    },
    stop: async (): Promise<void> => {
      await chainPool.end()
      await world.close()
      await chain.stop()
    },
  }
}
