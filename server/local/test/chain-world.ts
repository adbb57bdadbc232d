// The API with a network of its own, for tests of deposits. They share a clock, and blocks are mined when a test says so.
import type { Clock } from '../../src/base/clock.ts'
import { createPool, type Pool } from '../../src/base/db.ts'
import { createRpc } from '../../src/chain/rpc.ts'
import { payoutKey, startAnvil, sweepKey, voucherKey } from '../parts/anvil.ts'
import { type ApiWorld, createApiWorld } from './api-world.ts'
import { type PreparedChain, prepareChain } from '../parts/chain.ts'
import { asRole } from '../parts/database.ts'
import { createTestDatabase } from './test-database.ts'

export type ChainWorld = ApiWorld &
  PreparedChain & {
    /** Connects as the role that records what is on a network. */
    readonly chainPool: Pool
    readonly ownerUrl: string
    /** Calls the node. */
    readonly ask: <T>(method: string, ...params: unknown[]) => Promise<T>
    readonly networkId: string
    readonly clock: Clock
    /** Mines blocks until everything before them is final, and runs the jobs of a worker. */
    readonly settle: (blocks?: number) => Promise<void>
    /** Moves the clocks of the network and of the API. */
    readonly pass: (seconds: number) => Promise<void>
    readonly request: (wanted?: Wanted) => Promise<RequestedDeposit>
    readonly stop: () => Promise<void>
  }

type Wanted = { amount?: unknown; payWith?: string; reference?: string }
type RequestedDeposit = { reference: string; address: `0x${string}`; toDeposit: string }

const chainKeys = { SWEEP_KEY: sweepKey, PAYOUT_KEY: payoutKey, VOUCHER_KEY: voucherKey }

export async function createChainWorld(nodesOf: (url: string) => string[] = (url) => [url]): Promise<ChainWorld> {
  const chain = await startAnvil(['--slots-in-an-epoch', '1'])
  const database = await createTestDatabase()
  let aheadMs = 0
  const clock = () => new Date(Date.now() + aheadMs)
  const nodes = nodesOf(chain.url)
  const settings = { CHAIN_NODES: `LOCAL=${nodes.join(',')}`, ...chainKeys }
  const world = await createApiWorld(database.url, clock, settings)
  const prepared = await prepareChain(world.pool, chain.url)
  const rpc = createRpc([chain.url], clock)
  const ask = <T>(method: string, ...params: unknown[]): Promise<T> => rpc.call<T>(method, params)
  const { rows } = await world.pool.query<{ id: string }>(`select id from networks where abbreviation = 'LOCAL'`)
  const networkId = rows[0]?.id ?? ''

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
    settle: async (blocks = 4) => {
      await ask('anvil_mine', `0x${blocks.toString(16)}`)
      await world.work()
    },
    pass: async (seconds) => {
      aheadMs += seconds * 1_000
      await ask('evm_increaseTime', seconds)
      await ask('anvil_mine', '0x1')
    },
    request: ({ amount = 25, payWith = 'ETH', reference = `deposit-${references++}` } = {}) =>
      requestDeposit(world, networkId, { amount, payWith, reference }),
    stop: async () => {
      await chainPool.end()
      await world.close()
      await chain.stop()
    },
  }
}

async function requestDeposit(
  { call }: ApiWorld,
  networkId: string,
  { amount, payWith, reference }: Required<Wanted>,
): Promise<RequestedDeposit> {
  const body = {
    amount,
    blockchainNetworkId: networkId,
    currency_abbreviation: 'USD',
    reference_id: reference,
    pay_with_currency_abbreviation: payWith,
    metadata: {},
  }
  const path = '/merchant-integrations/deposit-address-payment-request'
  const { status, text, data } = await call<{ address: `0x${string}` }>('POST', path, { keys: 'public', body })
  if (status !== 200) throw new Error(text)
  const [, digits = ''] = /"amountToDeposit":([\d.]+)/.exec(text) ?? []
  return { reference, address: data.address, toDeposit: digits }
}
