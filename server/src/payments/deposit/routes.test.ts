import { encodeFunctionData, erc20Abi, formatEther, padHex, parseEther, parseUnits, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createPool } from '../../base/db.ts'
import { sweeperHashOf } from '../../chain/address.ts'
import { depositFactoryAbi } from '../../chain/deposit-factory.gen.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { setDeskLimit } from '../../catalogue/exchange/store.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { saveRule } from '../../catalogue/charge/store.ts'
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
  // These tests are about exact amounts, unless one sets a tolerance.
  await setTolerance(world.pool, world.ours.environmentId, 0)
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
  const path = '/merchant-integrations-server/deposit-cases?limit=100'
  const { cases } = (await world.get<{ cases: ListedCase[] }>(path)).data
  return cases.filter((one) => one.reference === reference)
}
/** What we hold on the network according to the ledger. */
const heldByLedger = async (currency: string): Promise<bigint> => {
  const { rows } = await world.pool.query<{ held: bigint }>(
    `select coalesce(-sum(a.balance), 0) as held from ledger_accounts a join ledger_books b on b.id = a.book_id
      where a.owner_id = $1 and a.kind = 'treasury' and b.currency = $2`,
    [world.networkId, currency],
  )
  return rows[0]?.held ?? 0n
}
/** What we hold on the network according to the network. */
const heldOnChain = async (): Promise<bigint> => {
  const { rows } = await world.pool.query<{ address: Hex }>('select address from chain_addresses')
  // All at one block: what a sweep moves in between would count twice.
  const blockNumber = await world.client.getBlockNumber({ cacheTime: 0 })
  const balances = await Promise.all(rows.map(({ address }) => world.client.getBalance({ address, blockNumber })))
  // Swept coin is at the treasury, on top of the balance that anvil gave it.
  const swept = (await world.client.getBalance({ address: world.treasury, blockNumber })) - treasuryBefore
  return balances.reduce((sum, one) => sum + one, swept)
}
const verify = async (): Promise<void> => {
  const pool = createPool(world.ownerUrl, 1)
  expect(await verifyLedger(pool)).toEqual([])
  await pool.end()
}

test('a coin deposit is credited once, exactly, when it is final', async () => {
  const before = await balance('USD')
  const { reference, address, toDeposit } = await world.request()
  await payCoin(address, parseEther(toDeposit))
  await world.work()
  expect(await world.statusOf(reference)).toBe('PROCESSING')
  await world.settle()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  await world.settle()
  expect((await balance('USD')) - before).toBe(2_500n)
  expect(await heldByLedger('ETH')).toBe(await heldOnChain())
  await verify()
})

test('the amount to pay rounds up at every step, to whole units of the token', async () => {
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
  expect(data.totalDeductable).toBeCloseTo(0.0125 + charges, 14)
  const { data: token } = await ask('USDT')
  expect((token.totalDeductable ?? 0) * 1e6).toBeCloseTo(Math.round((token.totalDeductable ?? 0) * 1e6), 6)
  expect((await ask('NGN')).data).toBeUndefined()
})

test('a deposit of a token with six decimals in two payments is credited after both', async () => {
  const before = await balance('USD')
  const { reference, address, toDeposit } = await world.request({ payWith: 'USDT' })
  const units = parseUnits(toDeposit, 6)
  await payToken(address, units - 1n)
  await world.settle()
  expect(await world.statusOf(reference)).toBe('PROCESSING')
  // The rate of another currency pair does not matter.
  await setRates('1500')
  await payToken(address, 1n)
  await world.settle()
  await setRates()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  expect((await balance('USD')) - before).toBe(2_500n)
})

test('an overpayment is an unmatched deposit, which the merchant can credit once', async () => {
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

test('an underpayment is an unmatched deposit after expiry, and so is a later payment', async () => {
  const { reference, address, toDeposit } = await world.request()
  await payCoin(address, parseEther(toDeposit) - 1n)
  await world.settle()
  expect(await world.statusOf(reference)).toBe('PROCESSING')
  await world.pass(3_700)
  await setRates()
  await world.settle()
  expect(await world.statusOf(reference)).toBe('FAILED')
  expect(await casesOf(reference)).toMatchObject([{ kind: 'under' }])
  await payCoin(address, 7n)
  await world.settle()
  expect((await casesOf(reference)).map(({ kind }) => kind)).toEqual(['late', 'under'])
  expect(await heldByLedger('ETH')).toBe(await heldOnChain())
})

test('a payment mined after expiry is late, even before the deposit is ended', async () => {
  const { reference, address, toDeposit } = await world.request()
  await world.pass(3_700)
  await setRates()
  await payCoin(address, parseEther(toDeposit))
  await world.settle()
  await world.settle()
  expect(await world.statusOf(reference)).toBe('FAILED')
  expect((await casesOf(reference)).map(({ kind }) => kind)).toEqual(['late'])
})

test('a payment in another token is an unmatched deposit in its own currency', async () => {
  const { reference, address } = await world.request()
  await payToken(address, 1_500_000n)
  await world.settle()
  expect(await world.statusOf(reference)).toBe('PENDING')
  expect(await casesOf(reference)).toMatchObject([{ kind: 'wrong_token', amount: 1.5, currency: 'USDT' }])
})

test("an underpayment within the merchant's tolerance is credited at the quoted rate", async () => {
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

test('coin that a contract sends is credited before the deposit expires', async () => {
  const { reference, address, toDeposit } = await world.request()
  // A sweep sends coin from a contract: here to a treasury that is our deposit address.
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

test('a tolerated payment below the fees is an unmatched deposit and credits nothing', async () => {
  await world.chainPool.query('update chain_finality set gas_price = 10::numeric ^ 12')
  restoreAfterTest(() => setTolerance(world.pool, world.ours.environmentId, 0))
  await setTolerance(world.pool, world.ours.environmentId, 50_000)
  const { reference, address, toDeposit } = await world.request({ amount: 0.5 })
  await setTolerance(world.pool, world.ours.environmentId, 0)
  await payCoin(address, (parseEther(toDeposit) * 96n) / 100n)
  await world.settle()
  await world.settle()
  expect(await world.statusOf(reference)).toBe('PROCESSING')
  await world.pass(3_700)
  await setRates()
  await world.settle()
  expect(await world.statusOf(reference)).toBe('FAILED')
  expect(await casesOf(reference)).toMatchObject([{ kind: 'under' }])
})

test('a reverted payment is not credited', async () => {
  const { reference, address, toDeposit } = await world.request({ payWith: 'USDT' })
  const args = [world.treasury, address, parseUnits(toDeposit, 6)] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args })
  const sent = await world.client.sendTransaction({ to: world.token, data, gas: 200_000n })
  expect((await world.client.waitForTransactionReceipt({ hash: sent })).status).toBe('reverted')
  await world.settle()
  expect(await world.statusOf(reference)).toBe('PENDING')
})

test('a payment that a reorganisation removes is not credited; one that it moves is credited once', async () => {
  const before = await balance('USD')
  const gone = await world.request()
  await payCoin(gone.address, parseEther(gone.toDeposit))
  await world.work()
  await world.ask('anvil_reorg', 1, [])
  await world.settle()
  expect(await world.statusOf(gone.reference)).toBe('PROCESSING')

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

test('a later payment is compared with the market if the first one is gone', async () => {
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
  // Too little at the new price.
  expect(await world.statusOf(reference)).toBe('PROCESSING')
})

test('a payment that comes back in a later block is compared with the market again', async () => {
  const { reference, address, toDeposit } = await world.request()
  const hash = await payCoin(address, parseEther(toDeposit))
  await world.work()
  const raw = await world.ask<string>('eth_getRawTransactionByHash', hash)
  await world.ask('anvil_reorg', 1, [])
  await world.settle()
  await setRates('1500')
  await world.ask('eth_sendRawTransaction', raw)
  await world.settle()
  await world.settle()
  await setRates()
  expect(await world.statusOf(reference)).toBe('PROCESSING')
})

test('several payments in one transaction are credited once each after a reorganisation moves them', async () => {
  const { reference, address, toDeposit } = await world.request({ payWith: 'USDT' })
  const units = parseUnits(toDeposit, 6)
  // A sweep to another treasury pays it from each address: here two payments.
  const salts = [padHex('0xa1', { size: 32 }), padHex('0xa2', { size: 32 })] as const
  const factory = { address: world.factory, abi: depositFactoryAbi } as const
  for (const [i, salt] of salts.entries()) {
    const from = await world.client.readContract({ ...factory, functionName: 'addressOf', args: [address, salt] })
    await payToken(from, i === 0 ? units / 3n : units - units / 3n)
  }
  await world.ask('evm_setAutomine', false)
  const [, , , , other = ''] = await world.ask<string[]>('eth_accounts')
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [world.treasury, 0n] })
  // Two earlier logs that are missing in the other block.
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

test('a final payment that is undone is REVERSED, from the balance or at the platform’s loss', async () => {
  const [covered, spent] = [await world.request(), await world.request({ amount: 100_000 })]
  const before = await balance('USD')
  for (const { address, toDeposit } of [covered, spent]) await payCoin(address, parseEther(toDeposit))
  await world.settle()
  expect((await balance('USD')) - before).toBe(10_002_500n)
  // The merchant spends almost the whole balance.
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

test('if one of two payments is undone, the other becomes an unmatched deposit; an undone overpayment changes nothing else', async () => {
  const before = await balance('USD')
  const { reference, address, toDeposit } = await world.request()
  const half = parseEther(toDeposit) / 2n
  await payCoin(address, half)
  await world.settle(10)
  await payCoin(address, parseEther(toDeposit) - half)
  await world.settle()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  const overpaid = await world.request()
  await payCoin(overpaid.address, parseEther(overpaid.toDeposit))
  await world.settle(10)
  await payCoin(overpaid.address, 9n)
  await world.settle()
  expect(await casesOf(overpaid.reference)).toMatchObject([{ kind: 'over', resolvedAt: '' }])
  // Removes only the overpayment, which is in the newest block.
  await world.ask('anvil_reorg', 5, [])
  await world.settle(8)
  expect(await world.statusOf(overpaid.reference)).toBe('COMPLETED')
  expect(await casesOf(overpaid.reference)).toMatchObject([
    { kind: 'over', resolvedAt: expect.stringMatching(/^2/) as string },
  ])
  // Removes the second half of the first deposit and the whole second deposit.
  await world.ask('anvil_reorg', 30, [])
  await world.settle(30)
  expect(await world.statusOf(reference)).toBe('REVERSED')
  expect(await world.statusOf(overpaid.reference)).toBe('REVERSED')
  expect(await casesOf(reference)).toMatchObject([{ kind: 'reversed', resolvedAt: '' }])
  expect(await balance('USD')).toBe(before)
  expect(await heldByLedger('ETH')).toBe(await heldOnChain())
  await verify()
})

type Outcome = { status: string; cases: string[]; credited: bigint }
// An amount quoted at 2000 is too little at 1500: the rest stays due until the deposit expires.
const repriced: Outcome = { status: 'FAILED', cases: ['under'], credited: 0n }
const outcomes: Record<string, Outcome> = {
  under: { status: 'FAILED', cases: ['under'], credited: 0n },
  exact: { status: 'COMPLETED', cases: [], credited: 2_500n },
  over: { status: 'COMPLETED', cases: ['over'], credited: 2_500n },
  late: { status: 'FAILED', cases: ['late'], credited: 0n },
}
test.for(
  Object.keys(outcomes).flatMap((kind) =>
    [1, 3].flatMap((parts) => ['2000', '1500'].map((rate) => [kind, parts, rate] as const)),
  ),
)(
  'a deposit paid %s in %s payments at a rate of %s has the expected status, credit and unmatched deposits',
  async ([kind, count, rate]) => {
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
    // Each late payment is its own unmatched deposit; an overpayment is one, whichever payment caused it.
    expect([...new Set(found.map((one) => one.kind))]).toEqual(cases)
    expect(await heldByLedger('ETH')).toBe(await heldOnChain())
  },
)

test('the server computes deposit addresses as the contract does, different for each treasury', async () => {
  const { address } = await world.request()
  const { rows } = await world.pool.query<{ salt: Hex }>('select salt from chain_addresses where address = $1', [
    address.toLowerCase(),
  ])
  const args = [world.treasury, rows[0]?.salt ?? '0x'] as const
  const read = { address: world.factory, abi: depositFactoryAbi, functionName: 'addressOf', args } as const
  expect(await world.client.readContract(read)).toBe(address)
  expect(sweeperHashOf('ephemeral', world.treasury)).not.toBe(sweeperHashOf('ephemeral', world.factory))
})

// Keep this test last: a reorganisation sets anvil's clock back.
test('after one of several underpayments is undone, the rest is an unmatched deposit that can be credited', async () => {
  const { reference, address, toDeposit } = await world.request()
  const half = parseEther(toDeposit) / 3n
  await payCoin(address, half)
  await world.settle(20)
  await payCoin(address, half + 1n)
  await world.settle()
  // Expire it directly, since the network's clock and ours differ by now.
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
