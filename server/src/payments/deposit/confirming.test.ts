import { erc20Abi, type Hex, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import { settleEvents } from '../../../local/test/settle-events.ts'
import { addPerson } from '../../../local/test/visitor.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'

let world: ChainWorld
beforeAll(async () => {
  world = await createChainWorld()
  await setRates()
  for (const code of ['ETH', 'USDT']) await world.convertFree(code, 'USD')
  await world.settle()
  await world.settle()
})
afterAll(() => world.stop())

const setRates = async (): Promise<void> => {
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await setManualRate(world.pool, 'USDT', 'USD', '1', world.clock)
}
const pay = (to: Hex, value: bigint): Promise<Hex> => world.client.sendTransaction({ to, value })
const payToken = (to: Hex, amount: bigint): Promise<Hex> =>
  world.client.writeContract({ address: world.token, abi: erc20Abi, functionName: 'transfer', args: [to, amount] })

type Amounts = Record<'currency' | 'amountToDeposit' | 'receivedAmount' | 'confirmedAmount' | 'creditedAmount', string>
type Verified = { status: string; transactionHash: string; deposit: Amounts }
const verify = async (reference: string): Promise<Verified> => {
  return (await world.get<Verified>(`/merchant-integrations-server/verify-transaction/${reference}`)).data
}
type Published = { type: string; data: Record<string, unknown> }
const eventsOf = async (reference: string): Promise<Published[]> => {
  await settleEvents(world.pool)
  const { events } = (await world.get<{ events: Published[] }>('/events?limit=100')).data
  return events.filter(({ data }) => data.reference === reference)
}
const typesOf = async (reference: string): Promise<string[]> => (await eventsOf(reference)).map(({ type }) => type)

test('a deposit is PROCESSING once a payment is in a block, with its hash, the amount so far and one event', async () => {
  const { reference, address, toDeposit } = await world.request()
  const requested = await verify(reference)
  expect(requested).toMatchObject({ status: 'PENDING', transactionHash: '' })
  const total = `${toDeposit}00000000000000000000`.slice(0, 20)
  const zero = '0.000000000000000000'
  expect(requested.deposit).toMatchObject({ currency: 'ETH', amountToDeposit: total, receivedAmount: zero })

  const half = parseEther(toDeposit) / 2n
  const hash = await pay(address, half)
  await world.work()
  const seen = await verify(reference)
  expect(seen).toMatchObject({ status: 'PROCESSING', transactionHash: hash })
  expect(parseEther(seen.deposit.receivedAmount)).toBe(half)
  expect(seen.deposit).toMatchObject({ amountToDeposit: total, confirmedAmount: zero, creditedAmount: '0.00' })
  const [confirming, ...more] = await eventsOf(reference)
  expect(more).toEqual([])
  expect(confirming?.type).toBe('deposit.confirming')
  expect(confirming?.data).toMatchObject({ hash, confirmations: 1, payCurrency: 'ETH', amountToDeposit: total })
  expect(confirming?.data.received).toBe(seen.deposit.receivedAmount)

  await pay(address, parseEther(toDeposit) - half)
  await world.work()
  expect((await verify(reference)).deposit).toMatchObject({ receivedAmount: total, confirmedAmount: zero })
  await world.settle()
  const done = await verify(reference)
  expect(done).toMatchObject({ status: 'COMPLETED', transactionHash: hash })
  expect(done.deposit).toMatchObject({ receivedAmount: total, confirmedAmount: total, creditedAmount: '25.00' })
  expect(await typesOf(reference)).toEqual(['deposit.confirming', 'deposit.completed'])
})

test('a payment in another token or after the time gives a deposit no hash, no received amount and no event', async () => {
  const other = await world.request()
  await payToken(other.address, parseUnits('25', 6))
  await world.work()
  const none = { transactionHash: '', deposit: { receivedAmount: '0.000000000000000000' } }
  expect(await verify(other.reference)).toMatchObject({ status: 'PENDING', ...none })
  expect(await typesOf(other.reference)).not.toContain('deposit.confirming')
  const late = await world.request()
  await world.pass(1_000)
  await setRates()
  await pay(late.address, parseEther(late.toDeposit))
  await world.work()
  expect(await verify(late.reference)).toMatchObject(none)
  expect(await typesOf(late.reference)).not.toContain('deposit.confirming')
})

test('a deposit without a payment is FAILED when its time has passed', async () => {
  const { reference } = await world.request()
  await world.pass(1_000)
  await setRates()
  await world.settle()
  expect(await verify(reference)).toMatchObject({ status: 'FAILED', transactionHash: '' })
  const [ended, ...more] = await eventsOf(reference)
  expect(more).toEqual([])
  expect(ended).toMatchObject({ type: 'deposit.canceled', data: { status: 'FAILED' } })
})

test('the wallet app shows a deposit as waiting while it is PROCESSING, and as ended when it is FAILED', async () => {
  const ada = await addPerson(world, 'test')
  type Shown = { id: string; address: Hex; toDeposit: string; seen: string; status: string }
  const request = async (): Promise<Shown> => {
    const reply = await ada.post('/wallet/deposits', { networkId: world.networkId, currency: 'ETH', amount: '0.01' })
    return reply.as<{ data: Shown }>().data
  }
  const show = async ({ id }: Shown) => (await ada.get(`/wallet/deposits/${id}`)).as<{ data: Shown }>().data
  const short = await request()
  const unpaid = await request()
  await pay(short.address, parseEther(short.toDeposit) / 2n)
  await world.work()
  const seen = await show(short)
  expect(seen.status).toBe('waiting')
  expect(parseEther(seen.seen)).toBe(parseEther(short.toDeposit) / 2n)
  await world.pass(1_000)
  await setRates()
  await world.settle()
  expect((await show(short)).status).toBe('ended')
  expect((await show(unpaid)).status).toBe('ended')
})

// Keep this test last: a reorganisation sets anvil's clock back.
test('a deposit stays PROCESSING if a reorganisation removes its payment, and completes with a later one', async () => {
  const { reference, address, toDeposit } = await world.request()
  const first = await pay(address, parseEther(toDeposit))
  await world.work()
  await world.ask('anvil_reorg', 1, [])
  await world.settle()
  const removed = await verify(reference)
  expect(removed).toMatchObject({ status: 'PROCESSING', transactionHash: first })
  expect(parseEther(removed.deposit.receivedAmount)).toBe(0n)
  const second = await pay(address, parseEther(toDeposit))
  await world.settle()
  expect(await verify(reference)).toMatchObject({ status: 'COMPLETED', transactionHash: second })
  expect(await typesOf(reference)).toEqual(['deposit.confirming', 'deposit.completed'])
})
