// Deposits while nodes lie, blocks are reorganised, payments revert and workers are killed: none is missed, credited
// twice or credited wrongly. Then reorganisations of final blocks, and downtime of the worker.
//   npm run drill -- chain [short]
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFunctionData, erc20Abi, parseEther, parseUnits, type Hex } from 'viem'
import { startAnvil } from '../../server/local/parts/anvil.ts'
import { type ApiProcess, distribute, withConnections } from '../../server/local/drill/api-process.ts'
import { prepareChain } from '../../server/local/parts/chain.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import type { Pool } from '../../server/src/base/db.ts'
import { createRpc } from '../../server/src/chain/rpc.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { keepRates } from '../chain/keep-rates.ts'
import { type LyingNode, startLyingNode } from '../chain/lying-node.ts'
import { makeUpBlocks } from '../chain/made-up-blocks.ts'
import { untilRead } from '../chain/until-read.ts'
import { runParts } from '../run-parts.ts'
import { startTwoApis } from '../two-apis.ts'
import { type Merchant, openMerchant } from '../voucher-lifecycle/world.ts'

type CallNode = <T>(method: string, ...params: unknown[]) => Promise<T>
type Deposit = { readonly reference: string; readonly address: Hex; readonly units: bigint; readonly isCoin: boolean }
type World = {
  readonly pool: Pool
  readonly apis: [ApiProcess, ApiProcess]
  readonly nodes: [LyingNode, LyingNode]
  readonly merchant: Merchant
  readonly networkId: string
  readonly token: Hex
  readonly callNode: CallNode
  /** Accounts that the node signs for. */
  readonly accounts: readonly string[]
}

const isShort = process.argv.includes('short')
const size = isShort
  ? { rounds: 5, perRound: 20, kills: 2, reverts: 2, undone: 2, downBlocks: 30, madeUp: 300 }
  : { rounds: 50, perRound: 200, kills: 20, reverts: 20, undone: 20, downBlocks: 2_000, madeUp: 100_000 }
const lieShare = 0.15
const amount = 25

const startMs = performance.now()
const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
const deposits: Deposit[] = []
/** Payments in made-up blocks, which the node does not know. */
const paidBeside = new Map<string, bigint>()
/** Addresses for which only one node reports a payment. */
const disputed: string[] = []
let reorgs = 0
let [missed, doubled, wrong, reversed] = [0, 0, 0, 0]
let perBlock = ''
let caughtUp = ''

await runParts(faults, stops, createWorld, [
  ['deposits under lies, reorganisations and kills', payUnderLies],
  ['reverted payments that one node reports as successful', payReverted],
  ['balances on the network against the ledger', compare],
  ['final blocks undone', undoFinal],
  ['catching up after downtime of the worker', catchUp],
  ['catching up after a long downtime', catchUpFar],
  ['balances on the network against the ledger, again', compare],
  ['ledger', async ({ pool }: World) => void faults.push(...(await verifyLedger(pool)))],
])
const seconds = Math.round((performance.now() - startMs) / 1_000)
console.log(
  `chain deposits=${deposits.length} reorgs=${reorgs} missed=${missed} doubled=${doubled} wrong=${wrong} ` +
    `reversed=${reversed} ${perBlock}${caughtUp}faults=${faults.length} seconds=${seconds}`,
)
process.exit(faults.length === 0 ? 0 : 1)

async function createWorld(): Promise<World> {
  const anvil = await startAnvil(['--no-mining', '--slots-in-an-epoch', '1', '--gas-limit', '100000000'])
  stops.push(anvil.stop)
  const nodes: [LyingNode, LyingNode] = [
    await startLyingNode(anvil.url, lieShare),
    await startLyingNode(anvil.url, lieShare),
  ]
  for (const node of nodes) stops.push(node.stop)
  const rpc = createRpc([anvil.url], systemClock)
  const callNode: CallNode = (method, ...params) => rpc.call(method, params)
  const { pool, pepper, apis } = await startTwoApis(stops, {
    CHAIN_NODES: `LOCAL=${nodes.map(({ url }) => url).join(',')}`,
  })
  await keepRates(stops, pool)
  await callNode('evm_setAutomine', true)
  const { token } = await prepareChain(pool, anvil.url)
  const accounts = await callNode<string[]>('eth_accounts')
  for (const account of accounts.slice(1))
    await payToken({ callNode, token }, accounts[0] ?? '', account as Hex, 10n ** 15n)
  await callNode('evm_setAutomine', false)
  await mine(callNode, 5)
  // These deposits convert more than the default desk limit allows, and this drill does not test that limit.
  await pool.query('update currencies set desk_limit = 1000 * desk_limit')
  const merchant = await openMerchant(pool, pepper, 'CHAIN')
  const { rows } = await pool.query<{ id: string }>(`select id from networks where abbreviation = 'LOCAL'`)
  const world = { pool, apis, nodes, merchant, networkId: rows[0]?.id ?? '', token, callNode, accounts }
  await until(world, `select from chain_finality`, 'the network is read')
  return world
}

function mine(callNode: CallNode, blocks: number): Promise<unknown> {
  return callNode('anvil_mine', `0x${blocks.toString(16)}`)
}
function payCoin({ callNode }: Pick<World, 'callNode'>, from: string, to: Hex, value: bigint): Promise<string> {
  return callNode('eth_sendTransaction', { from, to, value: `0x${value.toString(16)}` })
}

function payToken(
  { callNode, token }: Pick<World, 'callNode' | 'token'>,
  from: string,
  to: Hex,
  units: bigint,
): Promise<string> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, units] })
  return callNode('eth_sendTransaction', { from, to: token, gas: '0x186a0', data })
}

async function reorganise(
  { callNode, nodes }: World,
  depth: number,
  raws: readonly (readonly [string, number])[],
): Promise<void> {
  await Promise.all(nodes.map((node) => node.pause()))
  await callNode('anvil_reorg', depth, raws)
  for (const node of nodes) node.resume()
  reorgs++
}

async function until({ pool }: World, sql: string, what: string, values: unknown[] = []): Promise<void> {
  for (let tries = 0; tries < 6_000; tries++) {
    if (((await pool.query(sql, values)).rowCount ?? 0) > 0) return
    await sleep(100)
  }
  faults.push(`not reached within ten minutes: ${what}`)
}

async function request(world: World, count: number, coinShare = 0.5): Promise<Deposit[]> {
  const { apis, merchant, networkId } = world
  const made: Deposit[] = []
  await withConnections([apis[1]], 20, (connections) =>
    distribute(connections, count, async (connection) => {
      const isCoin = Math.random() < coinShare
      const reference = `chain-${deposits.length}-${made.length}-${Math.random().toString(36).slice(2)}`
      const body = {
        ...{ amount, blockchainNetworkId: networkId, currency_abbreviation: 'USD', reference_id: reference },
        ...{ pay_with_currency_abbreviation: isCoin ? 'ETH' : 'USDT', metadata: {} },
      }
      const { status, body: text } = await connection.send(
        merchant.post('/merchant-integrations/deposit-address-payment-request', body),
      )
      if (status !== 200) throw new Error(`The drill cannot continue: ${text}`)
      const [, address = ''] = /"address":"(0x\w+)"/.exec(text) ?? []
      const [, digits = '0'] = /"amountToDeposit":([\d.]+)/.exec(text) ?? []
      made.push({
        reference,
        address: address as Hex,
        units: isCoin ? parseEther(digits) : parseUnits(digits, 6),
        isCoin,
      })
    }),
  )
  deposits.push(...made)
  return made
}

/** Each round pays in a block of its own. A reorganisation then replaces it: with all payments, or without those of one account. */
async function payUnderLies(world: World): Promise<void> {
  const { callNode, apis, accounts, nodes, token } = world
  const killAt = new Set(Array.from({ length: size.kills }, (_, i) => Math.floor((i * size.rounds) / size.kills)))
  const before = { blocks: BigInt(await callNode<string>('eth_blockNumber')), calls: nodes.map(blockCallsOf) }
  for (let round = 0; round < size.rounds; round++) {
    const made = await request(world, size.perRound)
    const sent: { account: string; hash: string }[] = []
    for (const [i, { address, units, isCoin }] of made.entries()) {
      const account = accounts[i % accounts.length] ?? ''
      const pay = isCoin ? payCoin(world, account, address, units) : payToken(world, account, address, units)
      sent.push({ account, hash: await pay })
    }
    if (round < size.reverts) {
      // More than the account holds, so the transfer reverts and emits no log.
      const victim = made[0]
      if (victim !== undefined) await payToken(world, accounts[0] ?? '', victim.address, 10n ** 30n)
    }
    await mine(callNode, 1)
    const raws = await Promise.all(
      sent.map(async ({ account, hash }) => ({
        account,
        raw: await callNode<string>('eth_getRawTransactionByHash', hash),
      })),
    )
    await sleep(Math.random() * 200)
    // One account's payments disappear, or that account pays another address.
    const unlucky = round % 3 === 0 ? '' : (accounts[round % accounts.length] ?? '')
    await reorganise(
      world,
      1,
      raws.flatMap(({ account, raw }) => (account === unlucky ? [] : [[raw, 0] as const])),
    )
    if (round % 3 === 2) await payCoin(world, unlucky, token, 0n).catch(() => undefined)
    if (killAt.has(round)) await apis[0].crash()
    await mine(callNode, 3)
  }
  const blocks = Number(BigInt(await callNode<string>('eth_blockNumber')) - before.blocks)
  await settled(world)
  const most = Math.max(...nodes.map((node, i) => blockCallsOf(node) - (before.calls[i] ?? 0)))
  perBlock = `requests_per_block=${(most / blocks).toFixed(2)} lies=${nodes[0].lies() + nodes[1].lies()} `
}

function blockCallsOf(node: LyingNode): number {
  return node.calls('eth_getBlockByNumber') + node.calls('eth_getBlockReceipts')
}

/** Payments that reverted, although one of two nodes reports them as successful. The platform must not credit them. */
async function payReverted(world: World): Promise<void> {
  // A worker asks either node for a block. Without a payment from the lying one, this part would prove nothing.
  for (let tries = 0; tries < 10; tries++) {
    await payRevertedOnce(world)
    const { rowCount } = await world.pool.query('select from chain_payments where address = any($1)', [disputed])
    if (rowCount !== 0) return
  }
  faults.push('no worker recorded a payment from the lying node')
}

async function payRevertedOnce(world: World): Promise<void> {
  const { callNode, nodes, accounts } = world
  const made = await request(world, size.reverts, 1)
  nodes[0].hideReverts(true)
  for (const [i, { address, units }] of made.entries()) {
    // A contract that accepts no ether.
    await callNode('anvil_setCode', address, '0xfd')
    const value = `0x${units.toString(16)}`
    await callNode('eth_sendTransaction', { from: accounts[i % accounts.length], to: address, gas: '0x186a0', value })
    disputed.push(address.toLowerCase())
  }
  await mine(callNode, 1)
  await settled(world)
  // Enough time for a wrong credit to happen.
  await sleep(3_000)
  nodes[0].hideReverts(false)
}

/** Waits until everything on the network is final, read and booked. */
async function settled(world: World): Promise<void> {
  const head = BigInt(await world.callNode<string>('eth_blockNumber'))
  await mine(world.callNode, 4)
  await until(world, 'select from chain_finality where number >= $1', `final up to ${head}`, [head])
  await booked(world)
}

async function booked(world: World): Promise<void> {
  await until(
    world,
    `select where not exists (select from chain_payments p join chain_finality f on f.network_id = p.network_id
      where p.block_number <= f.number and (p.booked_at is null) = (p.gone_at is null) and p.address <> all($1))`,
    'everything final is booked, and everything gone is not',
    [disputed],
  )
}

/** Compares the balances of all addresses with the ledger and with the status of each deposit. */
async function compare({ pool, callNode, token, networkId }: World): Promise<void> {
  const { rows } = await pool.query<{ reference: string; status: string; coin: bigint; tokens: bigint }>(
    `select t.reference, t.status,
        coalesce((select sum(amount) from chain_payments p where p.owner_id = d.id and p.booked_at is not null and p.token <> lower($1)), 0) as coin,
        coalesce((select sum(amount) from chain_payments p where p.owner_id = d.id and p.booked_at is not null and p.token = lower($1)), 0) as tokens
      from deposits d join transactions t on t.environment_id = d.environment_id and t.id = d.id`,
    [token],
  )
  const known = new Map(rows.map((row) => [row.reference, row]))
  let [coins, tokens] = [0n, 0n]
  for (const { reference, address, units, isCoin } of deposits) {
    const coin = BigInt(await callNode<string>('eth_getBalance', address, 'latest')) + (paidBeside.get(address) ?? 0n)
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] })
    const held = BigInt(await callNode<string>('eth_call', { to: token, data }, 'latest'))
    coins += coin
    tokens += held
    const found = known.get(reference)
    if (found === undefined) continue
    const isPaid = (isCoin ? coin : held) >= units
    if (found.coin < coin || found.tokens < held) missed++
    if (found.coin > coin || found.tokens > held) doubled++
    if (isPaid !== (found.status === 'COMPLETED')) wrong++
  }
  const held = async (currency: string): Promise<bigint> => {
    const found = await pool.query<{ held: bigint }>(
      `select coalesce(-sum(a.balance), 0) as held from ledger_accounts a join ledger_books b on b.id = a.book_id
        where a.owner_id = $1 and a.kind = 'treasury' and b.currency = $2`,
      [networkId, currency],
    )
    return found.rows[0]?.held ?? 0n
  }
  if ((await held('ETH')) !== coins) faults.push(`the ledger holds ${await held('ETH')} wei, the network ${coins} wei`)
  if ((await held('USDT')) !== tokens * 10n ** 12n)
    faults.push(`the ledger holds ${await held('USDT')} USDT, the network ${tokens}`)
  if (missed + doubled + wrong > 0) faults.push(`missed ${missed}, doubled ${doubled}, wrong ${wrong}`)
}

/** If a final block is undone nevertheless, the platform reverses its deposits, logs it, and the ledger matches the network again. */
async function undoFinal(world: World): Promise<void> {
  const { callNode, pool, accounts } = world
  for (let i = 0; i < size.undone; i++) {
    const [made] = await request(world, 1)
    if (made === undefined) continue
    const { address, units, isCoin, reference } = made
    await (isCoin
      ? payCoin(world, accounts[0] ?? '', address, units)
      : payToken(world, accounts[0] ?? '', address, units))
    await mine(callNode, 1)
    await settled(world)
    const depth = 6 + (i % 15)
    const head = Number(await callNode<string>('eth_blockNumber'))
    const paidAt = (await pool.query<{ number: bigint }>('select max(block_number) as number from chain_payments'))
      .rows[0]
    await reorganise(world, Math.max(depth, head - Number(paidAt?.number ?? 0) + 1), [])
    await mine(callNode, 4)
    await settled(world)
    const { rows } = await pool.query<{ status: string }>('select status from transactions where reference = $1', [
      reference,
    ])
    if (rows[0]?.status === 'REVERSED') reversed++
    else faults.push(`an undone deposit has status ${rows[0]?.status ?? 'none'}`)
  }
  if (!world.apis[0].logs().includes('a final payment was undone'))
    faults.push('the log does not mention the undone payment')
}

/** The worker reads all blocks of its downtime. */
async function catchUp(world: World): Promise<void> {
  const { callNode, apis, accounts } = world
  const made = await request(world, 20)
  await apis[0].stop()
  for (const [i, { address, units, isCoin }] of made.entries()) {
    await (isCoin
      ? payCoin(world, accounts[1] ?? '', address, units)
      : payToken(world, accounts[1] ?? '', address, units))
    await mine(callNode, Math.ceil(size.downBlocks / made.length) + i)
  }
  await apis[0].crash()
  await settled(world)
}

/** The same with as many blocks as some networks produce in a day, and kills in between. */
async function catchUpFar(world: World): Promise<void> {
  const { callNode, apis, nodes, pool } = world
  const made = await request(world, 20, 1)
  await apis[0].stop()
  // In the first block, in the last final block, and evenly in between.
  const places = made.map((_, i) => 1 + Math.floor((i * (size.madeUp - 3)) / (made.length - 1)))
  const payments = new Map(made.map(({ address, units }, i) => [places[i] ?? 0, { to: address, value: units }]))
  for (const { address, units } of made) paidBeside.set(address, units)
  const { newest, final, respond } = makeUpBlocks(
    await callNode('eth_getBlockByNumber', 'latest', false),
    size.madeUp,
    payments,
  )
  for (const node of nodes) node.override(respond)
  const killAt = [1, 2].map((third) => newest - Math.floor((size.madeUp * third) / 3))
  const startedMs = performance.now()
  await apis[0].crash()
  const isComplete = await untilRead(pool, [newest - size.madeUp, newest], async (number) => {
    if (number < (killAt.at(-1) ?? Infinity)) return
    killAt.pop()
    await apis[0].crash()
  })
  if (!isComplete) faults.push(`not every block up to ${newest} was read`)
  const perSecond = Math.round((size.madeUp * 1_000) / (performance.now() - startedMs))
  caughtUp = `caught_up=${isComplete ? size.madeUp : 0} blocks_per_second=${perSecond} `
  await until(world, 'select from chain_finality where number >= $1', `final up to ${final}`, [final])
  await booked(world)
}
