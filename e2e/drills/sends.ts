// Two workers sweep and send while they are killed at every step, gas prices jump and blocks are undone: each send happens
// once, no nonce is skipped, and the ledger records what the key paid to the wei.
//   npm run drill -- sends [short]
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFunctionData, erc20Abi, type Hex, parseEther, parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { startAnvil } from '../../server/local/parts/anvil.ts'
import { type ApiProcess, distribute, startApi, withConnections } from '../../server/local/drill/api-process.ts'
import { prepareChain } from '../../server/local/parts/chain.ts'
import type { NodeProxy } from '../../server/local/drill/node-proxy.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction, type Pool } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { createRpc } from '../../server/src/chain/rpc.ts'
import { queueSend } from '../../server/src/chain/send-store.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { keepRates } from '../chain/keep-rates.ts'
import { startKillingNode } from '../chain/killing-node.ts'
import { runParts } from '../run-parts.ts'
import { startTwoApis } from '../two-apis.ts'
import { type Merchant, openMerchant } from '../voucher-lifecycle/world.ts'

type CallNode = <T>(method: string, ...params: unknown[]) => Promise<T>
type World = {
  readonly pool: Pool
  readonly api: ApiProcess
  readonly workers: readonly ApiProcess[]
  readonly nodes: readonly NodeProxy[]
  readonly merchant: Merchant
  readonly networkId: string
  readonly treasury: Hex
  readonly token: Hex
  readonly callNode: CallNode
}

const isShort = process.argv.includes('short')
const size = isShort
  ? { sends: 49, deposits: 50, rounds: 1, spikes: 1, spikeMs: 24_000, reorgs: 1, extraMs: 40_000 }
  : { sends: 980, deposits: 1_000, rounds: 3, spikes: 3, spikeMs: 40_000, reorgs: 10, extraMs: 300_000 }
// `later`: the worker has the result and is writing what follows from it.
const moments = ['before', 'after', 'later'] as const
const methods = [
  ...['eth_estimateGas', 'eth_maxPriorityFeePerGas', 'eth_getTransactionCount', 'eth_sendRawTransaction'],
  'eth_getTransactionReceipt',
]
const allSteps = methods.flatMap((method) => moments.map((moment) => `${method} ${moment}`))
// A short run tests a random half of them.
const steps = isShort ? allSteps.toSorted(() => Math.random() - 0.5).slice(0, 8) : allSteps
const purseBefore = parseEther('1000')
const key = generatePrivateKey()
const purse = privateKeyToAddress(key)
const newId = createIds(systemClock, systemRandom)

const startMs = performance.now()
const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
const sent: { to: Hex; value: bigint }[] = []
const paid = { coin: 0n, tokens: 0n }
const before = { coin: 0n, tokens: 0n }
let [kills, reorgs, dearer] = [0, 0, 0]
let [isSpiking, isHolding, isMining, isKilling] = [false, false, true, false]
/** The steps at which each worker is still to be killed. In a short run each worker has half of them. */
const plans = [0, 1].map((worker) => {
  const own = isShort ? steps.filter((_, step) => step % 2 === worker) : steps
  return Array.from({ length: size.rounds }, () => own).flat()
})
const dying = new Set<number>()

await runParts(faults, stops, createWorld, [
  ['deposits to sweep', payDeposits],
  ['sends with kills at every step, gas spikes and undone blocks', sendUnderKills],
  ['waiting for all sends to finish', settled],
  ['balances on the network against the ledger', compare],
  ['ledger', async ({ pool }: World) => void faults.push(...(await verifyLedger(pool)))],
])
const seconds = Math.round((performance.now() - startMs) / 1_000)
console.log(
  `sends sends=${sent.length} swept=${size.deposits} kills=${kills} steps=${steps.length} reorgs=${reorgs} ` +
    `dearer=${dearer} faults=${faults.length} seconds=${seconds}`,
)
process.exit(faults.length === 0 ? 0 : 1)

async function createWorld(): Promise<World> {
  stops.push(() => Promise.resolve((isMining = false)))
  const anvil = await startAnvil(['--no-mining', '--slots-in-an-epoch', '1', '--gas-limit', '100000000'])
  stops.push(anvil.stop)
  const rpc = createRpc([anvil.url], systemClock)
  const callNode: CallNode = (method, ...params) => rpc.call(method, params)
  const workers: ApiProcess[] = []
  const node = async (index: number): Promise<NodeProxy> => {
    const started = await startKillingNode(anvil.url, (method, moment) =>
      maybeKill(workers[index], index, method, moment),
    )
    stops.push(started.stop)
    return started
  }
  const nodes = [await node(0), await node(1)] as const
  const { pool, pepper, apis, settings } = await startTwoApis(stops, {
    CHAIN_NODES: `LOCAL=${nodes[0].url}`,
    SWEEP_KEY: key,
  })
  const second = await startApi({ ...settings, CHAIN_NODES: `LOCAL=${nodes[1].url}` }, 'all')
  stops.push(second.stop)
  await keepRates(stops, pool)
  await callNode('anvil_setBalance', purse, `0x${purseBefore.toString(16)}`)
  await callNode('evm_setAutomine', true)
  const { token, treasury } = await prepareChain(pool, anvil.url)
  await callNode('evm_setAutomine', false)
  await callNode('anvil_mine', '0x5')
  const { rows } = await pool.query<{ id: string }>(`select id from networks where abbreviation = 'LOCAL'`)
  const merchant = await openMerchant(pool, pepper, 'SENDS')
  const [worker, api] = apis
  const networkId = rows[0]?.id ?? ''
  const world = { pool, api, workers: [worker, second], nodes, merchant, networkId, treasury, token, callNode }
  before.coin = BigInt(await callNode<string>('eth_getBalance', treasury, 'latest'))
  before.tokens = await tokensOf(world, treasury)
  await until(world, 'select from chain_finality', 'the first blocks are read')
  workers.push(worker, second)
  return world
}

function maybeKill(worker: ApiProcess | undefined, index: number, method: string, moment: 'before' | 'after'): void {
  if (!isKilling || worker === undefined || dying.has(index)) return
  const plan = plans[index] ?? []
  const at = plan.findIndex(
    (step) => step === `${method} ${moment}` || (moment === 'after' && step === `${method} later`),
  )
  if (at === -1) return
  const [step = ''] = plan.splice(at, 1)
  dying.add(index)
  void (async () => {
    if (step.endsWith('later')) await sleep(Math.random() * 8)
    kills++
    await worker.crash()
    dying.delete(index)
  })()
}

/** A worker that has all its kills behind it may hold the lease, so that the other one never comes to the steps that it still has. */
function passLease({ workers }: World): void {
  const index = plans.findIndex((plan) => plan.length === 0)
  const worker = workers[index]
  if (worker === undefined || dying.has(index)) return
  dying.add(index)
  void worker.crash().then(() => dying.delete(index))
}

async function until({ pool }: World, sql: string, what: string, values: unknown[] = []): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    if (((await pool.query(sql, values)).rowCount ?? 0) > 0) return
    await sleep(100)
  }
  faults.push(`not reached within five minutes: ${what}`)
}

function tokensOf({ callNode, token }: Pick<World, 'callNode' | 'token'>, holder: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] })
  return callNode<string>('eth_call', { to: token, data }, 'latest').then(BigInt)
}

/** Pays every deposit exactly, half of them in ether, until all are credited. Fifty of them make a sweep. */
async function payDeposits(world: World): Promise<void> {
  const { api, merchant, networkId, callNode, token, pool } = world
  const [from] = await callNode<string[]>('eth_accounts')
  const payments: object[] = []
  await withConnections([api], 10, (connections) =>
    distribute(connections, size.deposits, async (connection, i) => {
      const isCoin = i % 2 === 0
      const body = {
        ...{ amount: 25, blockchainNetworkId: networkId, currency_abbreviation: 'USD', reference_id: `sends-${i}` },
        ...{ pay_with_currency_abbreviation: isCoin ? 'ETH' : 'USDT', metadata: {} },
      }
      const path = '/merchant-integrations/deposit-address-payment-request'
      const { status, body: text } = await connection.send(merchant.post(path, body))
      if (status !== 200) throw new Error(`The drill cannot continue: ${text}`)
      const [, address = ''] = /"address":"(0x\w+)"/.exec(text) ?? []
      const [, digits = '0'] = /"amountToDeposit":([\d.]+)/.exec(text) ?? []
      const units = isCoin ? parseEther(digits) : parseUnits(digits, 6)
      if (isCoin) paid.coin += units
      else paid.tokens += units
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [address as Hex, units] })
      const coin = { from, to: address, value: `0x${units.toString(16)}` }
      payments.push(isCoin ? coin : { from, to: token, gas: '0x186a0', data })
    }),
  )
  for (const payment of payments) await callNode('eth_sendTransaction', payment)
  void keepMining(world)
  await until(world, `select from deposits where credited > 0 having count(*) = $1`, 'all deposits are credited', [
    size.deposits,
  ])
  await until({ ...world, pool }, `select from chain_addresses where send_id is not null limit 1`, 'a sweep is queued')
}

/** Mines a block every 200 ms. During a spike, gas costs 100 times as much. */
async function keepMining({ callNode }: World): Promise<void> {
  const { baseFeePerGas } = await callNode<{ baseFeePerGas: string }>('eth_getBlockByNumber', 'latest', false)
  const usual = BigInt(baseFeePerGas) < 10n ** 9n ? 10n ** 9n : BigInt(baseFeePerGas)
  while (isMining) {
    await sleep(200)
    if (isHolding) continue
    await callNode('anvil_setNextBlockBaseFeePerGas', `0x${(isSpiking ? usual * 100n : usual).toString(16)}`)
    await callNode('anvil_mine', '0x1').catch(() => undefined)
  }
}

async function sendUnderKills(world: World): Promise<void> {
  const { pool, networkId, callNode, nodes } = world
  isKilling = true
  const atSpike = new Set(
    Array.from({ length: size.spikes }, (_, i) => Math.floor(((i + 0.5) * size.sends) / size.spikes)),
  )
  const atReorg = new Set(
    Array.from({ length: size.reorgs }, (_, i) => Math.floor(((i + 0.3) * size.sends) / size.reorgs)),
  )
  const isLeft = (): boolean => plans.some((plan) => plan.length > 0)
  let lastMs = Infinity
  // Continues beyond size.sends while some step has not occurred yet: only the worker that holds the lease reads receipts.
  while (sent.length < size.sends || (isLeft() && performance.now() < lastMs)) {
    const i = sent.length
    if (i === size.sends) lastMs = performance.now() + size.extraMs
    if (i > size.sends) await sleep(50)
    if (i > size.sends && i % 60 === 0) passLease(world)
    const to = `0x${(0x5c8190000n + BigInt(i)).toString(16).padStart(40, '0')}` as const
    const send = { to, value: BigInt(1_000 + i) }
    const row = {
      id: newId(),
      networkId,
      lane: 'sweep' as const,
      reference: `drill/${i}`,
      ...send,
      data: '0x',
      askedAt: systemClock(),
    }
    // Queued twice, as a caller does that does not know whether the first attempt succeeded.
    for (const id of [row.id, newId()]) await inTransaction(pool, (tx) => queueSend(tx, { ...row, id }))
    sent.push(send)
    if (atSpike.has(i)) {
      // Transactions signed without a new block still pay the old gas price.
      isHolding = true
      await sleep(500)
      await until(world, signedSince(systemClock()), 'a transaction is signed while no block is mined')
      isSpiking = true
      isHolding = false
      setTimeout(() => (isSpiking = false), size.spikeMs)
    }
    if (atReorg.has(i)) {
      await Promise.all(nodes.map((node) => node.pause()))
      await callNode('anvil_reorg', 1, []).catch(() => undefined)
      for (const node of nodes) node.resume()
      reorgs++
    }
    // Wait from time to time so that every step occurs repeatedly.
    if (i % 20 === 0)
      await until(
        world,
        'select from chain_sends where ended_at is null having count(*) < 100',
        'fewer than 100 sends are pending',
      )
  }
  isKilling = false
  while (dying.size > 0) await sleep(100)
  for (const step of plans.flat()) faults.push(`no worker was killed at: ${step}`)
}

function signedSince(at: Date): string {
  return `select from chain_signed where signed_at > '${at.toISOString()}' having count(*) > 4`
}

async function settled(world: World): Promise<void> {
  await until(world, 'select from chain_sends having count(*) = count(ended_at)', 'all sends have ended')
  await until(
    world,
    `select from chain_addresses where wanted_at is not null or send_id is not null having count(*) = 0`,
    'all addresses are swept',
  )
  await sleep(1_000)
  isMining = false
}

async function compare(world: World): Promise<void> {
  const { callNode, pool, treasury, networkId, workers } = world
  const balance = (address: string): Promise<bigint> =>
    callNode<string>('eth_getBalance', address, 'latest').then(BigInt)
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault)
  }
  for (const [i, { to, value }] of sent.entries()) {
    const held = await balance(to)
    expect(held === value, `send ${i} delivered ${held} of ${value} wei`)
  }
  const coin = (await balance(treasury)) - before.coin
  const tokens = (await tokensOf(world, treasury)) - before.tokens
  expect(coin === paid.coin, `the treasury has ${coin} of ${paid.coin} wei`)
  expect(tokens === paid.tokens, `the treasury has ${tokens} of ${paid.tokens} units`)
  const { rows } = await pool.query<{ nonce: bigint; outcome: string; versions: bigint }>(
    `select nonce, outcome, (select count(*) from chain_signed v where v.send_id = s.id) as versions
      from chain_sends s order by nonce`,
  )
  expect(
    rows.every(({ nonce }, i) => Number(nonce) === i),
    'nonces have a gap',
  )
  expect(
    rows.every(({ outcome }) => outcome === 'done'),
    'a send did not succeed',
  )
  expect(
    Number(await callNode<string>('eth_getTransactionCount', purse, 'latest')) === rows.length,
    'the number of transactions differs from the number of sends',
  )
  dearer = rows.filter(({ versions }) => versions > 1n).length
  expect(dearer > 0, 'no send was ever replaced by one with a higher gas price')
  const inLedger = async (kind: string): Promise<bigint> => {
    const found = await pool.query<{ balance: bigint }>(
      `select balance from ledger_accounts where owner_id = $1 and kind = $2::ledger_account_kind`,
      [networkId, kind],
    )
    return found.rows[0]?.balance ?? 0n
  }
  const spent = purseBefore - (await balance(purse)) - sent.reduce((sum, { value }) => sum + value, 0n)
  const { rows: quotes } = await pool.query<{ quoted: bigint }>('select sum(gas_in_coin) as quoted from deposits')
  const quoted = quotes[0]?.quoted ?? 0n
  expect(
    (await inLedger('purse')) === spent,
    `the ledger records ${await inLedger('purse')} wei of gas, the network ${spent}`,
  )
  expect(
    (await inLedger('gas')) === quoted - spent,
    `the gas account has ${await inLedger('gas')} wei, quoted ${quoted}, spent ${spent}`,
  )
  const logs = workers.map((worker) => worker.logs()).join('')
  expect(!logs.includes('balance mismatch'), 'a worker logged a balance mismatch')
  console.log(`  gas quoted ${quoted} wei, paid ${spent} wei`)
}
