import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import { settleEvents } from '../../../local/test/settle-events.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { setDeskLimit } from '../../catalogue/exchange/store.ts'

let world: ChainWorld
beforeAll(async () => {
  world = await createChainWorld()
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await setDeskLimit(world.pool, 'USD', 10n ** 10n)
  await setDeskLimit(world.pool, 'ETH', 10n ** 24n)
  await world.settle()
  await world.settle()
})
afterAll(() => world.stop())

type Listed = { data: { events: { type: string; data: Record<string, unknown> }[] } }

test('the event of a completed deposit has its type, reference and the hash on the network', async () => {
  const { reference, address, toDeposit } = await world.request()
  const hash = await world.client.sendTransaction({ to: address, value: parseEther(toDeposit) })
  await world.settle()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  await settleEvents(world.pool)
  const { text } = await world.call('GET', '/events?type=deposit.completed')
  const { events } = (JSON.parse(text) as Listed).data
  expect(events).toMatchObject([{ data: { type: 'WALLET_DEPOSIT', reference, hash, userId: null, currency: 'USD' } }])
  const verified = await world.call('GET', `/merchant-integrations-server/verify-transaction/${reference}`)
  expect(verified.body).toMatchObject({ data: { transactionHash: hash } })
})
