import { erc20Abi, type Hex, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../local/test/chain-world.ts'
import { type Call, type NodeProxy, startNodeProxy, type Told } from '../../local/drill/node-proxy.ts'
import { depositFactoryAbi } from './deposit-factory.gen.ts'
import { setManualRate } from '../catalogue/currency/rates.ts'

/** Changes the responses of the first of two nodes. The second one is honest. */
let lie: (call: Call, reply: Told) => Told = (_, reply) => reply
let running = 0
let mostRunning = 0
let liar: NodeProxy
let world: ChainWorld
beforeAll(async () => {
  let nodeUrl = ''
  liar = await startNodeProxy(
    () => nodeUrl,
    async (call, pass) => {
      mostRunning = Math.max(mostRunning, ++running)
      const reply = await pass(call).finally(() => running--)
      return { status: 200, body: lie(call, reply) }
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
// While the nodes disagree, every run of the jobs throws.
const settleOrFail = (): Promise<void> => world.settle().catch(() => undefined)

test('a reverted coin payment that one of two nodes calls successful is not credited', async () => {
  const { reference, address, toDeposit } = await world.request()
  lie = ({ method }, reply) =>
    method === 'eth_getBlockReceipts'
      ? { ...reply, result: (reply.result as object[]).map((receipt) => ({ ...receipt, status: '0x1' })) }
      : reply
  // Reverts, like a contract that accepts no coin.
  await world.ask('anvil_setCode', address, '0xfd')
  await world.client.sendTransaction({ to: address, value: parseEther(toDeposit), gas: 100_000n })
  await settleOrFail()
  await settleOrFail()
  lie = (_, reply) => reply
  const { rows } = await world.pool.query<{ bookedAt: Date | null }>(
    'select booked_at as "bookedAt" from chain_payments where address = $1',
    [address.toLowerCase()],
  )
  expect(rows).toEqual([{ bookedAt: null }])
  expect(await world.statusOf(reference)).toBe('PROCESSING')
  await world.chainPool.query('update chain_payments set gone_at = now() where address = $1', [address.toLowerCase()])
})

test('a coin payment is not credited if two nodes report different amounts', async () => {
  const { reference, address, toDeposit } = await world.request()
  lie = ({ params }, reply) => {
    const block = reply.result as RawBlock
    if (params[1] !== true || block?.transactions === undefined) return reply
    // Reports a hundred times the amount.
    const transactions = block.transactions.map((one) => ({
      ...one,
      value: `0x${(BigInt(one.value) * 100n).toString(16)}`,
    }))
    return { ...reply, result: { ...block, transactions } }
  }
  await world.client.sendTransaction({ to: address, value: parseEther(toDeposit) / 100n })
  await settleOrFail()
  await settleOrFail()
  lie = (_, reply) => reply
  expect(await world.statusOf(reference)).toBe('PROCESSING')
  const { rows } = await world.pool.query('select from chain_payments where address = $1 and booked_at is null', [
    address.toLowerCase(),
  ])
  expect(rows).toHaveLength(1)
})

test('incomplete receipts are read from the other node', async () => {
  const lies: ((receipts: RawReceipt[]) => RawReceipt[])[] = [
    () => [],
    (receipts) => receipts.slice(1),
    (receipts) => receipts.map((receipt) => ({ ...receipt, logs: [] })),
  ]
  for (const falsify of lies) {
    lie = ({ method }, reply) =>
      method === 'eth_getBlockReceipts' ? { ...reply, result: falsify(reply.result as RawReceipt[]) } : reply
    const { reference, address, toDeposit } = await world.request({ payWith: 'USDT' })
    const { token, client } = world
    const args = [address, parseUnits(toDeposit, 6)] as const
    await client.writeContract({ address: token, abi: erc20Abi, functionName: 'transfer', args })
    await settleOrFail()
    await settleOrFail()
    lie = (_, reply) => reply
    expect(await world.statusOf(reference)).toBe('COMPLETED')
  }
})

test('a block with logs but without transactions is read from the other node', async () => {
  lie = ({ params }, reply) => {
    const block = reply.result as RawBlock
    return params[1] === true && block !== null ? { ...reply, result: { ...block, transactions: [] } } : reply
  }
  const { reference, address, toDeposit } = await world.request({ payWith: 'USDT' })
  const args = [address, parseUnits(toDeposit, 6)] as const
  await world.client.writeContract({ address: world.token, abi: erc20Abi, functionName: 'transfer', args })
  await settleOrFail()
  await settleOrFail()
  lie = (_, reply) => reply
  expect(await world.statusOf(reference)).toBe('COMPLETED')
})

test('a sweep that one of two nodes exaggerates does not credit coin twice', async () => {
  const { reference, address, toDeposit } = await world.request()
  await world.client.sendTransaction({ to: address, value: parseEther(toDeposit) })
  await settleOrFail()
  await settleOrFail()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  // Amounts are log data, which the bloom filter does not cover.
  const double = (data: string): string =>
    `${data.slice(0, 66)}${(BigInt(`0x${data.slice(66)}`) * 2n).toString(16).padStart(64, '0')}`
  lie = ({ method }, reply) => {
    if (method !== 'eth_getBlockReceipts') return reply
    const result = (reply.result as RawReceipt[]).map((receipt) => ({
      ...receipt,
      logs: receipt.logs.map((log) => (log.data.length === 130 ? { ...log, data: double(log.data) } : log)),
    }))
    return { ...reply, result }
  }
  const { rows } = await world.pool.query<{ salt: Hex }>('select salt from chain_addresses where address = $1', [
    address.toLowerCase(),
  ])
  const args = [world.treasury, [rows[0]?.salt ?? '0x'], []] as const
  await world.client.writeContract({ address: world.factory, abi: depositFactoryAbi, functionName: 'sweep', args })
  await settleOrFail()
  await settleOrFail()
  lie = (_, reply) => reply
  await settleOrFail()
  await settleOrFail()
  const found = await world.pool.query('select from chain_payments where address = $1', [address.toLowerCase()])
  expect(found.rowCount).toBe(1)
})

test('a balance that only one of two nodes reports is not credited', async () => {
  // Changes every number after the two words that give offset and length.
  const seven = (text: string): string => text.slice(0, 130) + text.slice(130).replace(/0(?=(.{64})*$)/g, '7')
  const { address } = await world.request()
  lie = ({ method }, reply) => (method === 'eth_call' ? { ...reply, result: seven(String(reply.result)) } : reply)
  await settleOrFail()
  await settleOrFail()
  for (const { name, run } of world.jobs) if (name.startsWith('balances')) await run().catch(() => undefined)
  lie = (_, reply) => reply
  const found = await world.pool.query('select from chain_payments where address = $1', [address.toLowerCase()])
  expect(found.rowCount).toBe(0)
})

test('nothing is final while a node does not report finality, even 200 blocks later', async () => {
  const { reference, address, toDeposit } = await world.request()
  lie = ({ params }, reply) => (params[0] === 'finalized' ? {} : reply)
  await world.client.sendTransaction({ to: address, value: parseEther(toDeposit) })
  await world.ask('anvil_mine', '0xc8')
  await settleOrFail()
  await settleOrFail()
  expect(await world.statusOf(reference)).toBe('PENDING')
  lie = (_, reply) => reply
  await settleOrFail()
  await settleOrFail()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
})

test('missed blocks are read concurrently up to the head, and each is stored only after its parent', async () => {
  await world.ask('anvil_mine', '0x64')
  // Lets the watcher read finality again.
  await world.pass(2)
  const head = Number(await world.ask<string>('eth_blockNumber'))
  const requested = new Set<number>()
  mostRunning = 0
  lie = ({ params }, reply) => {
    const number = Number(params[0])
    if (params[1] !== true || requested.has(number)) return reply
    requested.add(number)
    // Lies on the first request only: no block, another block, or another parent.
    const block = reply.result as RawBlock
    if (requested.size % 5 === 2) return { result: null }
    if (requested.size % 5 === 3) return { result: { ...block, number: '0x1' } }
    return requested.size % 5 === 4 ? { result: { ...block, parentHash: block?.hash } } : reply
  }
  for (let tries = 0; tries < 5; tries++) await world.work().catch(() => undefined)
  lie = (_, reply) => reply
  const { rows } = await world.pool.query<{ newest: bigint; orphans: bigint }>(
    `select max(b.number) as newest, count(*) filter (where p.hash is null) as orphans from chain_blocks b
      left join chain_blocks p on p.network_id = b.network_id and p.number = b.number - 1 and p.hash = b.parent`,
  )
  expect(rows).toEqual([{ newest: BigInt(head), orphans: 1n }])
  expect(mostRunning).toBeGreaterThan(1)
  expect(Math.max(...requested)).toBeLessThanOrEqual(head + 1)
})

test('a node of another network is refused', async () => {
  lie = ({ method }, reply) => (method === 'eth_chainId' ? { ...reply, result: '0x1' } : reply)
  await world.chainPool.query('delete from chain_blocks where network_id = $1', [world.networkId])
  await expect(world.work()).rejects.toMatchObject({ code: 'CHAIN_DISAGREES' })
  lie = (_, reply) => reply
  await settleOrFail()
})
