// What the parts of the onchain drill share: a network that the drill mines and reorganises, two workers that it kills, and vouchers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { payoutKey, startAnvil, sweepKey, voucherKey } from '../../server/local/parts/anvil.ts'
import { type ApiProcess, type Connection, startApi } from '../../server/local/drill/api-process.ts'
import { prepareChain } from '../../server/local/parts/chain.ts'
import type { NodeProxy } from '../../server/local/drill/node-proxy.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import type { Pool } from '../../server/src/base/db.ts'
import { createRpc } from '../../server/src/chain/rpc.ts'
import { setManualRate } from '../../server/src/catalogue/currency/rates.ts'
import { keepRates } from '../chain/keep-rates.ts'
import { startKillingNode } from '../chain/killing-node.ts'
import { startTwoApis } from '../two-apis.ts'
import { type Merchant, openMerchant } from '../voucher-lifecycle/world.ts'
import type { Killer } from './killer.ts'

type CallNode = <T>(method: string, ...params: unknown[]) => Promise<T>
export type Currency = 'ETH' | 'USDT'
export type Voucher = { readonly id: string; readonly code: string; readonly currency: Currency }
export type World = {
  readonly pool: Pool
  readonly api: ApiProcess
  readonly workers: readonly ApiProcess[]
  readonly nodes: readonly NodeProxy[]
  /** Issues the vouchers. */
  readonly merchant: Merchant
  /** Redeems them as well. */
  readonly other: Merchant
  readonly networkId: string
  readonly treasury: Hex
  readonly token: Hex
  readonly vaults: Readonly<Record<Currency, Hex>>
  readonly callNode: CallNode
  readonly vouchers: Voucher[]
  readonly mining: Mining
}
type Mining = { isOn: boolean; isHeld: boolean }

export const chainId = 31_337
/** Smallest units on the network per whole. */
export const wholes: Readonly<Record<Currency, bigint>> = { ETH: 10n ** 18n, USDT: 10n ** 6n }

export async function createWorld(stops: (() => Promise<unknown>)[], killer: Killer): Promise<World> {
  const mining = { isOn: true, isHeld: true }
  stops.push(() => Promise.resolve((mining.isOn = false)))
  const anvil = await startAnvil(['--no-mining', '--slots-in-an-epoch', '1', '--gas-limit', '100000000'])
  stops.push(anvil.stop)
  const rpc = createRpc([anvil.url], systemClock)
  const callNode: CallNode = (method, ...params) => rpc.call(method, params)
  const workers: ApiProcess[] = []
  const startNode = async (index: number): Promise<NodeProxy> => {
    const node = await startKillingNode(anvil.url, (method, moment) =>
      killer.onStep(workers[index], index, method, moment),
    )
    stops.push(node.stop)
    return node
  }
  const nodes = [await startNode(0), await startNode(1)] as const
  const keys = { SWEEP_KEY: sweepKey, PAYOUT_KEY: payoutKey, VOUCHER_KEY: voucherKey }
  const { pool, pepper, apis, settings } = await startTwoApis(stops, { CHAIN_NODES: `LOCAL=${nodes[0].url}`, ...keys })
  await keepRates(stops, pool)
  await setManualRate(pool, 'ETH', 'USDT', '2000', systemClock)
  const prepare = async () => {
    await callNode('evm_setAutomine', true)
    const prepared = await prepareChain(pool, anvil.url)
    await callNode('evm_setAutomine', false)
    return prepared
  }
  const [second, { token, treasury }] = await Promise.all([
    startApi({ ...settings, CHAIN_NODES: `LOCAL=${nodes[1].url}` }, 'all'),
    prepare(),
  ])
  stops.push(second.stop)
  await callNode('anvil_mine', '0x5')
  // These payouts convert more than the default desk limit allows, and this drill does not test that limit.
  await pool.query('update currencies set desk_limit = 1000 * desk_limit')
  const { rows } = await pool.query<{ id: string; currency: Currency; vault: Hex }>(
    `select n.id, c.abbreviation as currency, lower(t.vault) as vault from networks n
      join network_tokens t on t.network_id = n.id join currencies c on c.id = t.currency_id
      where n.abbreviation = 'LOCAL' and t.vault <> ''`,
  )
  const vaultOf = (currency: Currency): Hex => rows.find((row) => row.currency === currency)?.vault ?? '0x'
  const [worker, api] = apis
  const world = {
    ...{ pool, api, workers: [worker, second], nodes, networkId: rows[0]?.id ?? '', treasury, token, callNode, mining },
    merchant: await openMerchant(pool, pepper, 'ONCHAIN'),
    other: await openMerchant(pool, pepper, 'OTHER'),
    vaults: { ETH: vaultOf('ETH'), USDT: vaultOf('USDT') },
    vouchers: [],
  }
  void keepMining(world)
  await until(world, 'select from chain_finality', 'the first blocks are read')
  workers.push(worker, second)
  return world
}

/** Mines a block every 150 ms, unless the drill holds it. */
async function keepMining({ callNode, mining }: Pick<World, 'callNode' | 'mining'>): Promise<void> {
  mining.isHeld = false
  while (mining.isOn) {
    await sleep(150)
    // The drill changes it while this waits.
    const { isHeld } = mining as { isHeld: boolean }
    if (!isHeld) await callNode('anvil_mine', '0x1').catch(() => undefined)
  }
}

/** Throws after five minutes, because later parts would report faults that follow from it. */
export async function until({ pool }: Pick<World, 'pool'>, sql: string, what: string): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    if (((await pool.query(sql)).rowCount ?? 0) > 0) return
    await sleep(100)
  }
  throw new Error(`Not reached within five minutes: ${what}`)
}

type Reply<T> = { readonly status: number; readonly error: string; readonly data: T }

export async function send<T>(connection: Connection, request: string): Promise<Reply<T>> {
  const { status, body } = await connection.send(request)
  const { data, error } = JSON.parse(body) as { data: T; error?: { code: string } }
  return { status, error: error?.code ?? '', data }
}

export async function sendOrThrow<T>(connection: Connection, request: string): Promise<T> {
  const { status, error, data } = await send<T>(connection, request)
  if (status !== 200) throw new Error(`The drill cannot continue: ${status} ${error}`)
  return data
}

export const pick = <T>(all: readonly T[]): T => {
  const one = all[Math.floor(Math.random() * all.length)]
  if (one === undefined) throw new Error('There is nothing to pick from.')
  return one
}
