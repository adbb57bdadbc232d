import { erc20Abi, type Hex, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../local/chain-world.ts'
import { type Call, type NodeProxy, startNodeProxy, type Told } from '../../local/node-proxy.ts'
import { depositFactoryAbi } from './deposit-factory.gen.ts'
import { setManualRate } from '../currency/rates.ts'

/** The first of two nodes, which says of a node's answers what a test tells it to. The second one is honest. */
let lie: (call: Call, told: Told) => Told = (_, told) => told
let [underWay, mostUnderWay] = [0, 0]
let liar: NodeProxy
let world: ChainWorld
beforeAll(async () => {
  let nodeUrl = ''
  liar = await startNodeProxy(
    () => nodeUrl,
    async (call, pass) => {
      mostUnderWay = Math.max(mostUnderWay, ++underWay)
      const told = await pass(call).finally(() => underWay--)
      return { status: 200, body: lie(call, told) }
    },
  )
  world = await createChainWorld((url) => {
    nodeUrl = url
    return [liar.url, url]
  })
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await setManualRate(world.pool, 'USDT', 'USD', '1', world.clock)
  await world.settle()
  await world.settle()
})
afterAll(async () => {
  await world.stop()
  await liar.stop()
})

type RawBlock = { hash?: string; transactions?: { value: string }[] } | null
type RawReceipt = { logs: { data: string }[] }
// What only one of two nodes has seen so stays in doubt, and is told so with every look.
const settleOrFail = (): Promise<void> => world.settle().catch(() => undefined)

test('a reverted payment of coin that one of two nodes calls good is not credited', async () => {
  const { reference, address, toDeposit } = await world.request()
  lie = ({ method }, told) =>
    method === 'eth_getBlockReceipts'
      ? { ...told, result: (told.result as object[]).map((receipt) => ({ ...receipt, status: '0x1' })) }
      : told
  // As a contract that takes no coin would do.
  await world.ask('anvil_setCode', address, '0xfd')
  await world.client.sendTransaction({ to: address, value: parseEther(toDeposit), gas: 100_000n })
  await settleOrFail()
  await settleOrFail()
  lie = (_, told) => told
  const { rows } = await world.pool.query<{ bookedAt: Date | null }>(
    'select booked_at as "bookedAt" from chain_payments where address = $1',
    [address.toLowerCase()],
  )
  expect(rows).toEqual([{ bookedAt: null }])
  expect(await world.statusOf(reference)).toBe('PENDING')
  await world.chainPool.query('update chain_payments set gone_at = now() where address = $1', [address.toLowerCase()])
})

test('coin that only one of two nodes has seen so is not credited', async () => {
  const { reference, address, toDeposit } = await world.request()
  lie = ({ params }, told) => {
    const block = told.result as RawBlock
    if (params[1] !== true || block?.transactions === undefined) return told
    // A hundred times as much came.
    const transactions = block.transactions.map((one) => ({
      ...one,
      value: `0x${(BigInt(one.value) * 100n).toString(16)}`,
    }))
    return { ...told, result: { ...block, transactions } }
  }
  await world.client.sendTransaction({ to: address, value: parseEther(toDeposit) / 100n })
  await settleOrFail()
  await settleOrFail()
  lie = (_, told) => told
  expect(await world.statusOf(reference)).toBe('PENDING')
  const { rows } = await world.pool.query('select from chain_payments where address = $1 and booked_at is null', [
    address.toLowerCase(),
  ])
  expect(rows).toHaveLength(1)
})

test('receipts without some logs, without some receipts, or of none are not believed: the other node is asked', async () => {
  const lies: ((receipts: RawReceipt[]) => RawReceipt[])[] = [
    () => [],
    (receipts) => receipts.slice(1),
    (receipts) => receipts.map((receipt) => ({ ...receipt, logs: [] })),
  ]
  for (const falsify of lies) {
    lie = ({ method }, told) =>
      method === 'eth_getBlockReceipts' ? { ...told, result: falsify(told.result as RawReceipt[]) } : told
    const { reference, address, toDeposit } = await world.request({ payWith: 'USDT' })
    const { token, client } = world
    const args = [address, parseUnits(toDeposit, 6)] as const
    await client.writeContract({ address: token, abi: erc20Abi, functionName: 'transfer', args })
    await settleOrFail()
    await settleOrFail()
    lie = (_, told) => told
    expect(await world.statusOf(reference)).toBe('COMPLETED')
  }
})

test('a block that is told without its transactions, although it has logs, is not believed', async () => {
  lie = ({ params }, told) => {
    const block = told.result as RawBlock
    return params[1] === true && block !== null ? { ...told, result: { ...block, transactions: [] } } : told
  }
  const { reference, address, toDeposit } = await world.request({ payWith: 'USDT' })
  const args = [address, parseUnits(toDeposit, 6)] as const
  await world.client.writeContract({ address: world.token, abi: erc20Abi, functionName: 'transfer', args })
  await settleOrFail()
  await settleOrFail()
  lie = (_, told) => told
  expect(await world.statusOf(reference)).toBe('COMPLETED')
})

test('a sweep of which one of two nodes tells more than there was brings nobody coin a second time', async () => {
  const { reference, address, toDeposit } = await world.request()
  await world.client.sendTransaction({ to: address, value: parseEther(toDeposit) })
  await settleOrFail()
  await settleOrFail()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  // An amount is data, of which the bloom of a header says nothing.
  const double = (data: string): string =>
    `${data.slice(0, 66)}${(BigInt(`0x${data.slice(66)}`) * 2n).toString(16).padStart(64, '0')}`
  lie = ({ method }, told) => {
    if (method !== 'eth_getBlockReceipts') return told
    const result = (told.result as RawReceipt[]).map((receipt) => ({
      ...receipt,
      logs: receipt.logs.map((log) => (log.data.length === 130 ? { ...log, data: double(log.data) } : log)),
    }))
    return { ...told, result }
  }
  const { rows } = await world.pool.query<{ salt: Hex }>('select salt from chain_addresses where address = $1', [
    address.toLowerCase(),
  ])
  const args = [world.treasury, [rows[0]?.salt ?? '0x'], []] as const
  await world.client.writeContract({ address: world.factory, abi: depositFactoryAbi, functionName: 'sweep', args })
  await settleOrFail()
  await settleOrFail()
  lie = (_, told) => told
  await settleOrFail()
  await settleOrFail()
  const found = await world.pool.query('select from chain_payments where address = $1', [address.toLowerCase()])
  expect(found.rowCount).toBe(1)
})

test('a balance that only one of two nodes tells is nobody’s coin', async () => {
  // Of everything, after the two words that say how much there is to read.
  const seven = (text: string): string => text.slice(0, 130) + text.slice(130).replace(/0(?=(.{64})*$)/g, '7')
  const { address } = await world.request()
  lie = ({ method }, told) => (method === 'eth_call' ? { ...told, result: seven(String(told.result)) } : told)
  await settleOrFail()
  await settleOrFail()
  for (const { name, run } of world.sweeps) if (name.startsWith('balances')) await run().catch(() => undefined)
  lie = (_, told) => told
  const found = await world.pool.query('select from chain_payments where address = $1', [address.toLowerCase()])
  expect(found.rowCount).toBe(0)
})

test('a node that does not say what is final is not guessed for, however many blocks are above', async () => {
  const { reference, address, toDeposit } = await world.request()
  lie = ({ params }, told) => (params[0] === 'finalized' ? {} : told)
  await world.client.sendTransaction({ to: address, value: parseEther(toDeposit) })
  await world.ask('anvil_mine', '0xc8')
  await settleOrFail()
  await settleOrFail()
  expect(await world.statusOf(reference)).toBe('PENDING')
  lie = (_, told) => told
  await settleOrFail()
  await settleOrFail()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
})

test('what was made while nobody read is read several blocks at once, up to the head, and none without its parent', async () => {
  await world.ask('anvil_mine', '0x64')
  // What is final is asked for again.
  await world.pass(2)
  const head = Number(await world.ask<string>('eth_blockNumber'))
  const asked = new Set<number>()
  mostUnderWay = 0
  lie = ({ params }, told) => {
    const number = Number(params[0])
    if (params[1] !== true || asked.has(number)) return told
    asked.add(number)
    // Once each: none, another one, and one with another parent.
    const block = told.result as RawBlock
    if (asked.size % 5 === 2) return { result: null }
    if (asked.size % 5 === 3) return { result: { ...block, number: '0x1' } }
    return asked.size % 5 === 4 ? { result: { ...block, parentHash: block?.hash } } : told
  }
  for (let tries = 0; tries < 5; tries++) await world.work().catch(() => undefined)
  lie = (_, told) => told
  const { rows } = await world.pool.query<{ newest: bigint; orphans: bigint }>(
    `select max(b.number) as newest, count(*) filter (where p.hash is null) as orphans from chain_blocks b
      left join chain_blocks p on p.network_id = b.network_id and p.number = b.number - 1 and p.hash = b.parent`,
  )
  expect(rows).toEqual([{ newest: BigInt(head), orphans: 1n }])
  expect(mostUnderWay).toBeGreaterThan(1)
  expect(Math.max(...asked)).toBeLessThanOrEqual(head + 1)
})

test('a node of another network is not read', async () => {
  lie = ({ method }, told) => (method === 'eth_chainId' ? { ...told, result: '0x1' } : told)
  await world.chainPool.query('delete from chain_blocks where network_id = $1', [world.networkId])
  await expect(world.work()).rejects.toMatchObject({ code: 'CHAIN_DISAGREES' })
  lie = (_, told) => told
  await settleOrFail()
})
