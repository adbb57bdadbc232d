import { encodeFunctionData, erc20Abi, formatEther, padHex, parseEther, parseUnits, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../local/chain-world.ts'
import { createPool } from '../base/db.ts'
import { sweeperHashOf } from '../chain/address.ts'
import { depositFactoryAbi } from '../chain/deposit-factory.gen.ts'
import { setManualRate } from '../currency/rates.ts'
import { setDeskLimit } from '../exchange/store.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { saveRule } from '../charge/store.ts'
import { setTolerance } from './store.ts'

let world: ChainWorld
let treasuryBefore = 0n
beforeAll(async () => {
  world = await createChainWorld()
  treasuryBefore = await world.client.getBalance({ address: world.treasury })
  await setRates()
  for (const code of ['ETH', 'USDT']) await world.convertFree(code, 'USD')
  await world.convertFree('ETH', 'USDT')
  await setDeskLimit(world.pool, 'USD', 10n ** 10n)
  await setDeskLimit(world.pool, 'ETH', 10n ** 24n)
  await saveRule(world.pool, 'test', 'ETH', { fixed: 0n, sharePpm: 15_000n })
  await world.settle()
  await world.settle()
})
afterAll(() => world.stop())

const setRates = async (eth = '2000'): Promise<void> => {
  await setManualRate(world.pool, 'ETH', 'USD', eth, world.clock)
  await setManualRate(world.pool, 'USDT', 'USD', '1', world.clock)
}
const payCoin = (to: string, value: bigint): Promise<Hex> => world.client.sendTransaction({ to: to as Hex, value })
const payToken = (to: string, amount: bigint): Promise<Hex> =>
  world.client.writeContract({
    address: world.token,
    abi: erc20Abi,
    functionName: 'transfer',
    args: [to as Hex, amount],
  })
const balance = async (currency: string): Promise<bigint> => {
  const { rows } = await world.pool.query<{ balance: bigint }>(
    `select a.balance from ledger_accounts a join ledger_books b on b.id = a.book_id
      where a.owner_id = $1 and a.kind = 'merchant' and b.currency = $2 and b.mode = 'test'`,
    [world.ours.environmentId, currency],
  )
  return rows[0]?.balance ?? 0n
}
type ListedCase = { id: string; reference: string; kind: string; amount: number; currency: string; resolvedAt: string }
const casesOf = async (reference: string): Promise<ListedCase[]> => {
  const { text } = await world.call('GET', '/merchant-integrations-server/deposit-cases?limit=100')
  return (JSON.parse(text) as { data: { cases: ListedCase[] } }).data.cases.filter((one) => one.reference === reference)
}
/** What the ledger says that the network holds for us, and what the network says. */
const heldByLedger = async (currency: string): Promise<bigint> => {
  const { rows } = await world.pool.query<{ held: bigint }>(
    `select coalesce(-sum(a.balance), 0) as held from ledger_accounts a join ledger_books b on b.id = a.book_id
      where a.owner_id = $1 and a.kind = 'treasury' and b.currency = $2`,
    [world.networkId, currency],
  )
  return rows[0]?.held ?? 0n
}
const heldOnChain = async (): Promise<bigint> => {
  const { rows } = await world.pool.query<{ address: Hex }>('select address from chain_addresses')
  const balances = await Promise.all(rows.map(({ address }) => world.client.getBalance({ address })))
  // What was swept is at the treasury, which began with what anvil gave it.
  const swept = (await world.client.getBalance({ address: world.treasury })) - treasuryBefore
  return balances.reduce((sum, one) => sum + one, swept)
}
const verify = async (): Promise<void> => {
  const pool = createPool(world.ownerUrl, 1)
  expect(await verifyLedger(pool)).toEqual([])
  await pool.end()
}

test('a deposit by coin is credited when it is final, once, and to the unit', async () => {
  const before = await balance('USD')
  const { reference, address, toDeposit } = await world.request()
  await payCoin(address, parseEther(toDeposit))
  await world.work()
  expect(await world.statusOf(reference)).toBe('PENDING')
  await world.settle()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  await world.settle()
  expect((await balance('USD')) - before).toBe(2_500n)
  expect(await heldByLedger('ETH')).toBe(await heldOnChain())
  await verify()
})

test('the sum runs from what is asked for to what is paid, every step up, in whole units of the token', async () => {
  const ask = async (payWith: string) => {
    const body = { amount: 25, blockchainNetworkId: world.networkId, currency_abbreviation: 'USD' }
    const reply = await world.call('POST', '/merchant-integrations/request-wallet-deposit-charges', {
      keys: 'public',
      body: { ...body, pay_with_currency_abbreviation: payWith },
    })
    return JSON.parse(reply.text) as { data: Record<string, number> }
  }
  const { data } = await ask('ETH')
  expect(data).toMatchObject({ swapAmount: 0.0125, toAmount: 25, processingFee: 0.000_187_5, exchangeRate: 2_000 })
  const charges = data.totalGasAndProceesingFeeInFromCurrency ?? 0
  expect(charges).toBeGreaterThan(0.000_187_5)
  expect(data.totalDeductable).toBeCloseTo(0.0125 + charges, 15)
  const { data: token } = await ask('USDT')
  expect((token.totalDeductable ?? 0) * 1e6).toBeCloseTo(Math.round((token.totalDeductable ?? 0) * 1e6), 6)
  expect((await ask('NGN')).data).toBeUndefined()
})

test('a token of six decimals, paid in two parts, is credited when both are there', async () => {
  const before = await balance('USD')
  const { reference, address, toDeposit } = await world.request({ payWith: 'USDT' })
  const units = parseUnits(toDeposit, 6)
  await payToken(address, units - 1n)
  await world.settle()
  expect(await world.statusOf(reference)).toBe('PENDING')
  // Another pair's rate does not matter.
  await setRates('1500')
  await payToken(address, 1n)
  await world.settle()
  await setRates()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  expect((await balance('USD')) - before).toBe(2_500n)
})

test('what is too much is a case, and can be taken onto the balance as it is, once', async () => {
  const before = await balance('ETH')
  const { reference, address, toDeposit } = await world.request()
  await payCoin(address, parseEther(toDeposit) + 5n)
  await world.settle()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  const [over] = await casesOf(reference)
  expect(over).toMatchObject({ kind: 'over', amount: 5e-18, currency: 'ETH', resolvedAt: '' })
  const credit = () => world.call('POST', `/merchant-integrations-server/deposit-cases/${over?.id}/credit`)
  expect((await credit()).status).toBe(200)
  expect((await credit()).status).toBe(409)
  expect((await balance('ETH')) - before).toBe(5n)
  const theirs = await world.call('POST', `/merchant-integrations-server/deposit-cases/${over?.id}/credit`, {
    as: world.theirs,
  })
  expect(theirs.status).toBe(404)
})

test('what is too little is a case when the time is over, and what comes later is one too', async () => {
  const { reference, address, toDeposit } = await world.request()
  await payCoin(address, parseEther(toDeposit) - 1n)
  await world.settle()
  expect(await world.statusOf(reference)).toBe('PENDING')
  await world.pass(3_700)
  await setRates()
  await world.settle()
  expect(await world.statusOf(reference)).toBe('CANCELED')
  expect(await casesOf(reference)).toMatchObject([{ kind: 'under' }])
  await payCoin(address, 7n)
  await world.settle()
  expect((await casesOf(reference)).map(({ kind }) => kind)).toEqual(['late', 'under'])
  expect(await heldByLedger('ETH')).toBe(await heldOnChain())
})

test('what is mined after its time is late, also where nobody has looked since', async () => {
  const { reference, address, toDeposit } = await world.request()
  await world.pass(3_700)
  await setRates()
  await payCoin(address, parseEther(toDeposit))
  await world.settle()
  await world.settle()
  expect(await world.statusOf(reference)).toBe('CANCELED')
  expect((await casesOf(reference)).map(({ kind }) => kind)).toEqual(['late'])
})

test('another token than the one asked for is a case in its own currency', async () => {
  const { reference, address } = await world.request()
  await payToken(address, 1_500_000n)
  await world.settle()
  expect(await world.statusOf(reference)).toBe('PENDING')
  expect(await casesOf(reference)).toMatchObject([{ kind: 'wrong_token', amount: 1.5, currency: 'USDT' }])
})

test('within what a merchant tolerates, what came is credited at the rate that was quoted', async () => {
  const { environmentId } = world.ours
  const set = (ppm: number) =>
    world.pool.query('update merchant_environments set deposit_tolerance_ppm = $2 where id = $1', [environmentId, ppm])
  await set(10_000)
  const before = await balance('USD')
  const { reference, address, toDeposit } = await world.request()
  await payCoin(address, (parseEther(toDeposit) * 995n) / 1_000n)
  await world.settle()
  await set(0)
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  const credited = (await balance('USD')) - before
  expect(credited > 2_470n && credited < 2_500n).toBe(true)
  await verify()
})

test('coin that a contract sends is in no transaction of a block, and is found before the time is over', async () => {
  const { reference, address, toDeposit } = await world.request()
  // Swept coin arrives by a contract: here for a treasury that is our deposit address.
  const salt = padHex('0x77', { size: 32 })
  const read = { address: world.factory, abi: depositFactoryAbi } as const
  const from = await world.client.readContract({ ...read, functionName: 'addressOf', args: [address, salt] })
  await payCoin(from, parseEther(toDeposit))
  await world.client.writeContract({ ...read, functionName: 'sweep', args: [address, [salt], []] })
  await world.settle()
  expect(await world.statusOf(reference)).toBe('PENDING')
  await world.pass(3_700)
  await setRates()
  await world.settle()
  await world.settle()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
})

test('what is tolerated, and is less than the charges, waits as a case: nobody is credited less than nothing', async () => {
  await world.chainPool.query('update chain_finality set gas_price = 10::numeric ^ 12')
  await setTolerance(world.pool, world.ours.environmentId, 50_000)
  const { reference, address, toDeposit } = await world.request({ amount: 0.5 })
  await setTolerance(world.pool, world.ours.environmentId, 0)
  await payCoin(address, (parseEther(toDeposit) * 96n) / 100n)
  await world.settle()
  await world.settle()
  expect(await world.statusOf(reference)).toBe('PENDING')
  await world.pass(3_700)
  await setRates()
  await world.settle()
  expect(await world.statusOf(reference)).toBe('CANCELED')
  expect(await casesOf(reference)).toMatchObject([{ kind: 'under' }])
})

test('a payment that is reverted moves nothing', async () => {
  const { reference, address, toDeposit } = await world.request({ payWith: 'USDT' })
  const args = [world.treasury, address, parseUnits(toDeposit, 6)] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args })
  const sent = await world.client.sendTransaction({ to: world.token, data, gas: 200_000n })
  expect((await world.client.waitForTransactionReceipt({ hash: sent })).status).toBe('reverted')
  await world.settle()
  expect(await world.statusOf(reference)).toBe('PENDING')
})

test('a payment that a reorganisation takes away before it is final was never there; in another block it counts once', async () => {
  const before = await balance('USD')
  const gone = await world.request()
  await payCoin(gone.address, parseEther(gone.toDeposit))
  await world.work()
  await world.ask('anvil_reorg', 1, [])
  await world.settle()
  expect(await world.statusOf(gone.reference)).toBe('PENDING')

  const moved = await world.request()
  const hash = await payCoin(moved.address, parseEther(moved.toDeposit))
  await world.work()
  const raw = await world.ask<string>('eth_getRawTransactionByHash', hash)
  await world.ask('anvil_reorg', 1, [[raw, 0]])
  await world.settle()
  await world.settle()
  expect(await world.statusOf(moved.reference)).toBe('COMPLETED')
  expect((await balance('USD')) - before).toBe(2_500n)
  expect(await heldByLedger('ETH')).toBe(await heldOnChain())
})

test('the price is compared with the market again if the payment that was compared is gone', async () => {
  const { reference, address, toDeposit } = await world.request()
  await payCoin(address, parseEther(toDeposit))
  await world.work()
  await world.ask('anvil_reorg', 1, [])
  await world.settle()
  await setRates('1500')
  await payCoin(address, parseEther(toDeposit))
  await world.settle()
  await world.settle()
  await setRates()
  // At the new price it is too little.
  expect(await world.statusOf(reference)).toBe('PENDING')
})

test('of several payments in one transaction each stays what it is when a reorganisation moves it in its block', async () => {
  const { reference, address, toDeposit } = await world.request({ payWith: 'USDT' })
  const units = parseUnits(toDeposit, 6)
  // A sweep to somebody else's treasury is a payment to him from each address: here of two parts.
  const salts = [padHex('0xa1', { size: 32 }), padHex('0xa2', { size: 32 })] as const
  const factory = { address: world.factory, abi: depositFactoryAbi } as const
  for (const [i, salt] of salts.entries()) {
    const from = await world.client.readContract({ ...factory, functionName: 'addressOf', args: [address, salt] })
    await payToken(from, i === 0 ? units / 3n : units - units / 3n)
  }
  await world.ask('evm_setAutomine', false)
  const [, , , , other = ''] = await world.ask<string[]>('eth_accounts')
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [world.treasury, 0n] })
  // Two logs before it, which will not be there in the other block.
  for (let i = 0; i < 2; i++)
    await world.ask('eth_sendTransaction', {
      ...{ from: other, to: world.token, data, gas: '0x186a0' },
      ...{ maxPriorityFeePerGas: '0x12a05f2000', maxFeePerGas: '0x174876e800' },
    })
  const hash = await world.client.writeContract({
    ...{ ...factory, functionName: 'sweep', args: [address, salts, [world.token]] },
    ...{ gas: 2_000_000n, maxPriorityFeePerGas: 10n ** 9n, maxFeePerGas: 10n ** 11n },
  } as const)
  await world.ask('anvil_mine', '0x1')
  await world.ask('evm_setAutomine', true)
  await world.work()
  const raw = await world.ask<string>('eth_getRawTransactionByHash', hash)
  await world.ask('anvil_reorg', 1, [[raw, 0]])
  await world.settle()
  await world.settle()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
})

test('a payment that is undone after it was final is REVERSED, out of the balance or at the platform’s loss', async () => {
  const [covered, spent] = [await world.request(), await world.request({ amount: 100_000 })]
  const before = await balance('USD')
  for (const { address, toDeposit } of [covered, spent]) await payCoin(address, parseEther(toDeposit))
  await world.settle()
  expect((await balance('USD')) - before).toBe(10_002_500n)
  // The merchant spends nearly all of it.
  const voucher = await world.call('POST', '/merchant-integrations-server/vouchers', {
    body: { amount: 100_000, currency: 'USD', referenceId: 'spent' },
  })
  expect(voucher.status).toBe(200)
  await world.ask('anvil_reorg', 6, [])
  await world.settle(8)
  expect(await world.statusOf(covered.reference)).toBe('REVERSED')
  expect(await world.statusOf(spent.reference)).toBe('REVERSED')
  expect(await heldByLedger('ETH')).toBe(await heldOnChain())
  expect(world.logged()).toContain('a final payment was undone')
  expect(await balance('USD')).toBe(before)
  await verify()
})

test('of two payments one is undone: what came with the other waits as a case; one that was too much takes nothing along', async () => {
  const before = await balance('USD')
  const { reference, address, toDeposit } = await world.request()
  const half = parseEther(toDeposit) / 2n
  await payCoin(address, half)
  await world.settle(10)
  await payCoin(address, parseEther(toDeposit) - half)
  await world.settle()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  const kept = await world.request()
  await payCoin(kept.address, parseEther(kept.toDeposit))
  await world.settle(10)
  await payCoin(kept.address, 9n)
  await world.settle()
  expect(await casesOf(kept.reference)).toMatchObject([{ kind: 'over', resolvedAt: '' }])
  // Only what was too much, and is in no earlier block.
  await world.ask('anvil_reorg', 5, [])
  await world.settle(8)
  expect(await world.statusOf(kept.reference)).toBe('COMPLETED')
  expect(await casesOf(kept.reference)).toMatchObject([
    { kind: 'over', resolvedAt: expect.stringMatching(/^2/) as string },
  ])
  // The second half of the first, and the whole of the second.
  await world.ask('anvil_reorg', 30, [])
  await world.settle(30)
  expect(await world.statusOf(reference)).toBe('REVERSED')
  expect(await world.statusOf(kept.reference)).toBe('REVERSED')
  expect(await casesOf(reference)).toMatchObject([{ kind: 'reversed', resolvedAt: '' }])
  expect(await balance('USD')).toBe(before)
  expect(await heldByLedger('ETH')).toBe(await heldOnChain())
  await verify()
})

type Outcome = { status: string; cases: string[]; credited: bigint }
// At 1500 what was quoted at 2000 no longer pays for it: the rest stays due, and its time ends.
const repriced: Outcome = { status: 'CANCELED', cases: ['under'], credited: 0n }
const outcomes: Record<string, Outcome> = {
  under: { status: 'CANCELED', cases: ['under'], credited: 0n },
  exact: { status: 'COMPLETED', cases: [], credited: 2_500n },
  over: { status: 'COMPLETED', cases: ['over'], credited: 2_500n },
  late: { status: 'CANCELED', cases: ['late'], credited: 0n },
}
test.for(
  Object.keys(outcomes).flatMap((kind) =>
    [1, 3].flatMap((parts) => ['2000', '1500'].map((rate) => [kind, parts, rate] as const)),
  ),
)('%s in %s payments, at a rate of %s by then, has its one outcome', async ([kind, count, rate]) => {
  const parts = BigInt(count)
  const before = await balance('USD')
  const { reference, address, toDeposit } = await world.request()
  if (kind === 'late') await world.pass(3_700)
  await setRates(rate)
  const extra = { under: -1n, exact: 0n, over: 1n, late: 0n }[kind] ?? 0n
  const units = parseEther(toDeposit) + extra
  for (let i = 1n; i < parts; i++) await payCoin(address, units / parts)
  await payCoin(address, units - (units / parts) * (parts - 1n))
  await world.settle()
  await world.settle()
  const isRepriced = rate === '1500' && kind !== 'late'
  if (kind === 'under' || isRepriced) await world.pass(3_700)
  await setRates()
  await world.settle()
  const { status, cases, credited } = (isRepriced ? repriced : outcomes[kind]) ?? {
    status: '',
    cases: [],
    credited: 0n,
  }
  expect(await world.statusOf(reference)).toBe(status)
  expect((await balance('USD')) - before).toBe(credited)
  const found = await casesOf(reference)
  // Each late payment is a case of its own; one that is too much is one, whichever payment brought it.
  expect([...new Set(found.map((one) => one.kind))]).toEqual(cases)
  expect(await heldByLedger('ETH')).toBe(await heldOnChain())
})

test('an address is computed here as the contract computes it, and is nobody else’s', async () => {
  const { address } = await world.request()
  const { rows } = await world.pool.query<{ salt: Hex }>('select salt from chain_addresses where address = $1', [
    address.toLowerCase(),
  ])
  const args = [world.treasury, rows[0]?.salt ?? '0x'] as const
  const read = { address: world.factory, abi: depositFactoryAbi, functionName: 'addressOf', args } as const
  expect(await world.client.readContract(read)).toBe(address)
  expect(sweeperHashOf('ephemeral', world.treasury)).not.toBe(sweeperHashOf('ephemeral', world.factory))
})

// The last: a reorganisation sets anvil's clock back.
test('of several payments that were too little one is undone: the case is what is left, and can be taken', async () => {
  const { reference, address, toDeposit } = await world.request()
  const half = parseEther(toDeposit) / 3n
  await payCoin(address, half)
  await world.settle(20)
  await payCoin(address, half + 1n)
  await world.settle()
  // Its time is over, without a clock: the network's and ours differ by then.
  const owner = createPool(world.ownerUrl, 1)
  await owner.query(`update deposits set expires_at = '2020-01-01' where address = $1`, [address.toLowerCase()])
  await owner.end()
  await world.settle()
  expect(await casesOf(reference)).toMatchObject([{ kind: 'under', resolvedAt: '' }])
  await world.ask('anvil_reorg', 13, [])
  await world.settle(17)
  const [left] = await casesOf(reference)
  expect(left).toMatchObject({ kind: 'under', amount: Number(formatEther(half)), resolvedAt: '' })
  const before = await balance('ETH')
  await world.call('POST', `/merchant-integrations-server/deposit-cases/${left?.id}/credit`)
  expect((await balance('ETH')) - before).toBe(half)
  await verify()
})
