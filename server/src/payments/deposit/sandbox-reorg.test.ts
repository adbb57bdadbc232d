import { type Hex, parseEther } from 'viem'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'

let world: ChainWorld
beforeAll(async () => {
  world = await createChainWorld()
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await setManualRate(world.pool, 'USDT', 'USD', '1', world.clock)
  for (const code of ['ETH', 'USDT']) await world.convertFree(code, 'USD')
  await world.settle()
  await world.settle()
})
afterAll(() => world.stop())

const pay = async (reference: string, outcome: string): Promise<string> => {
  const { status, text } = await world.call('POST', `/sandbox/deposits/${reference}/pay`, { body: { outcome } })
  if (status !== 200) throw new Error(text)
  return (JSON.parse(text) as { data: { transactionHash: string } }).data.transactionHash
}
/** The same, with a worker that reads blocks meanwhile. */
const payWithWorker = async (reference: string, outcome: string): Promise<string> => {
  const paid = pay(reference, outcome)
  const ended = paid.then(() => true)
  while (!(await Promise.race([ended, sleep(50, false)]))) await world.work()
  return paid
}
const sendCoin = (to: Hex, amount: string): Promise<Hex> =>
  world.client.sendTransaction({ to, value: parseEther(amount), gas: 100_000n })

test.for(['ETH', 'USDT'])(
  'a reorganisation of a payment in %s leaves the payments before and after it in the same block',
  async (payWith) => {
    const [before, removed, after] = [await world.request(), await world.request({ payWith }), await world.request()]
    await world.ask('evm_setAutomine', false)
    const hash = await sendCoin(before.address, before.toDeposit)
    // From another account with a lower fee: the node puts it behind the payment that is removed.
    const [, , , other = ''] = await world.ask<string[]>('eth_accounts')
    const value = `0x${parseEther(after.toDeposit).toString(16)}`
    const { baseFeePerGas } = await world.ask<{ baseFeePerGas: string }>('eth_getBlockByNumber', 'latest', false)
    const cheap = { maxPriorityFeePerGas: '0x1', maxFeePerGas: baseFeePerGas, gas: '0x186a0' }
    const last = await world.ask<string>('eth_sendTransaction', { from: other, to: after.address, value, ...cheap })
    const gone = await payWithWorker(removed.reference, 'reorg')
    const newest = await world.ask<{ transactions: string[] }>('eth_getBlockByNumber', 'latest', false)
    await world.ask('evm_setAutomine', true)
    expect(newest.transactions).toEqual([hash, expect.not.stringMatching(gone) as string, last])
    await world.settle()
    await world.settle()
    expect(await world.statusOf(before.reference)).toBe('COMPLETED')
    expect(await world.statusOf(after.reference)).toBe('COMPLETED')
    expect(await world.statusOf(removed.reference)).toBe('PROCESSING')
  },
)

test('a payment of the same account that arrives during a reorganisation completes', async () => {
  const [removed, meanwhile] = [await world.request(), await world.request()]
  // Without a worker the endpoint waits for some seconds, with mining paused.
  const reorganised = pay(removed.reference, 'reorg')
  while (await world.ask<boolean>('anvil_getAutomine')) await sleep(10)
  await sleep(300)
  await sendCoin(meanwhile.address, meanwhile.toDeposit)
  await reorganised
  expect(await world.ask<boolean>('anvil_getAutomine')).toBe(true)
  await world.settle()
  await world.settle()
  expect(await world.statusOf(meanwhile.reference)).toBe('COMPLETED')
  expect(await world.statusOf(removed.reference)).toBe('PENDING')
})

test('two reorganisations at once remove both payments and leave a third one', async () => {
  const [first, second, third] = [await world.request(), await world.request(), await world.request()]
  await world.ask('evm_setAutomine', false)
  await sendCoin(third.address, third.toDeposit)
  await Promise.all([first, second].map(({ reference }) => pay(reference, 'reorg')))
  await world.ask('evm_setAutomine', true)
  await world.settle()
  await world.settle()
  expect(await world.statusOf(third.reference)).toBe('COMPLETED')
  expect([await world.statusOf(first.reference), await world.statusOf(second.reference)]).toEqual([
    'PENDING',
    'PENDING',
  ])
})

test('mining every few seconds continues after a reorganisation', async () => {
  const { reference } = await world.request()
  await world.ask('evm_setIntervalMining', 7)
  await payWithWorker(reference, 'reorg')
  expect(await world.ask('anvil_getIntervalMining')).toBe(7)
  await world.ask('evm_setAutomine', true)
})
