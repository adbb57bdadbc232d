import { erc20Abi, type Hex, padHex, parseEther, parseUnits } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepKey } from '../../../local/parts/anvil.ts'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import {
  refillingTokenAbi,
  refillingTokenCode,
  testTokenAbi,
  testTokenCode,
} from '../../../local/parts/test-token.gen.ts'
import { createPool } from '../../base/db.ts'
import { createLog } from '../../base/log.ts'
import { createLeases } from '../../base/lease.ts'
import { findFinality } from '../../chain/store.ts'
import { depositFactoryAbi } from '../../chain/deposit-factory.gen.ts'
import { saveToken } from '../../catalogue/currency/store.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { ensureBook } from '../../ledger/book.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { recordUnseenCoin } from './reconcile.ts'
import { createPlanSweeps } from './sweep.ts'

const purse = privateKeyToAddress(sweepKey)
const alarms = /balance mismatch/g

type Case = { id: string; kind: string; reference: string; amount: number }

let world: ChainWorld
let begun: { purse: bigint; treasury: bigint }
beforeAll(async () => {
  world = await createChainWorld()
  await setRates()
  await world.settle()
  await world.settle()
  begun = { purse: await coinOf(purse), treasury: await coinOf(world.treasury) }
})
afterAll(() => world.stop())

const setRates = async (): Promise<void> => {
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await setManualRate(world.pool, 'USDT', 'USD', '1', world.clock)
}
const coinOf = (address: string): Promise<bigint> => world.client.getBalance({ address: address as Hex })
const tokenOf = (address: string): Promise<bigint> =>
  world.client.readContract({
    ...{ address: world.token, abi: erc20Abi, functionName: 'balanceOf', args: [address as Hex] },
  } as const)
const payCoin = (to: string, value: bigint): Promise<Hex> => world.client.sendTransaction({ to: to as Hex, value })
const payToken = (to: string, units: bigint): Promise<Hex> =>
  world.client.writeContract({
    ...{ address: world.token, abi: erc20Abi, functionName: 'transfer', args: [to as Hex, units] },
  } as const)
/** Runs the jobs until waiting deposits are swept, final and booked. */
const sweep = async (): Promise<void> => {
  await world.pass(11 * 60)
  await setRates()
  for (let i = 0; i < 3; i++) await world.settle()
}
const inLedger = async (kind: string, currency = 'ETH'): Promise<bigint> => {
  const { rows } = await world.pool.query<{ balance: bigint }>(
    `select a.balance from ledger_accounts a join ledger_books b on b.id = a.book_id
      where a.owner_id = $1 and a.kind = $2::ledger_account_kind and b.currency = $3`,
    [world.networkId, kind, currency],
  )
  return rows[0]?.balance ?? 0n
}
const quoted = async (): Promise<bigint> => {
  const owner = createPool(world.ownerUrl, 1)
  const { rows } = await owner.query<{ sum: bigint }>(
    `select coalesce(sum(gas_in_coin), 0) as sum from deposits where credited > 0`,
  )
  await owner.end()
  return rows[0]?.sum ?? 0n
}

test('credited deposits are swept together to the treasury, and their gas is booked to the wei', async () => {
  const [coin, token] = [await world.request(), await world.request({ payWith: 'USDT' })]
  await payCoin(coin.address, parseEther(coin.toDeposit))
  await payToken(token.address, parseUnits(token.toDeposit, 6))
  const tokensBefore = await tokenOf(world.treasury)
  await world.settle()
  await world.settle()
  expect(await coinOf(coin.address)).toBe(parseEther(coin.toDeposit))
  await sweep()
  expect([await coinOf(coin.address), await tokenOf(token.address)]).toEqual([0n, 0n])
  expect((await coinOf(world.treasury)) - begun.treasury).toBe(parseEther(coin.toDeposit))
  expect((await tokenOf(world.treasury)) - tokensBefore).toBe(parseUnits(token.toDeposit, 6))
  const { rows } = await world.pool.query('select outcome, nonce from chain_sends')
  expect(rows).toEqual([{ outcome: 'done', nonce: 0n }])
  const spent = begun.purse - (await coinOf(purse))
  expect(spent > 0n).toBe(true)
  expect(await inLedger('purse')).toBe(spent)
  expect(await inLedger('gas')).toBe((await quoted()) - spent)
  expect(world.logged()).not.toMatch(alarms)
})

test('an unmatched deposit is swept only after it is credited; the address accepts payments after a sweep', async () => {
  const { address, toDeposit, reference } = await world.request()
  await payCoin(address, parseEther(toDeposit))
  await world.settle()
  await sweep()
  await payCoin(address, 77n)
  await world.settle()
  await sweep()
  expect(await coinOf(address)).toBe(77n)
  const { cases } = (await world.get<{ cases: Case[] }>('/merchant-integrations-server/deposit-cases')).data
  const [found] = cases.filter((one) => one.reference === reference)
  await world.call('POST', `/merchant-integrations-server/deposit-cases/${found?.id}/credit`)
  await sweep()
  expect(await coinOf(address)).toBe(0n)
  expect(await inLedger('purse')).toBe(begun.purse - (await coinOf(purse)))
  expect(world.logged()).not.toMatch(alarms)
})

test('a sweep by a stranger is recognised and causes no mismatch', async () => {
  const { address, toDeposit } = await world.request()
  await payCoin(address, parseEther(toDeposit))
  const { rows } = await world.pool.query<{ salt: Hex }>('select salt from chain_addresses where address = $1', [
    address.toLowerCase(),
  ])
  const args = [world.treasury, [rows[0]?.salt ?? '0x'], []] as const
  const call = { address: world.factory, abi: depositFactoryAbi, functionName: 'sweep', args } as const
  // The node mines it a moment after its response.
  await world.client.waitForTransactionReceipt({ hash: await world.client.writeContract(call) })
  expect(await coinOf(address)).toBe(0n)
  await sweep()
  expect(-(await inLedger('treasury'))).toBe((await coinOf(world.treasury)) - begun.treasury)
  expect(world.logged()).not.toMatch(alarms)
})

const setTokensActive = (isActive: boolean) =>
  world.pool.query('update network_tokens set is_active = $2 where network_id = $1', [world.networkId, isActive])

test('an inactive token or coin is still swept, reconciled and charged gas', async () => {
  const [token, coin] = [await world.request({ payWith: 'USDT' }), await world.request()]
  const units = parseUnits(token.toDeposit, 6)
  await payToken(token.address, units)
  await world.settle()
  await world.settle()
  restoreAfterTest(() => setTokensActive(true))
  await setTokensActive(false)
  // Also a payment in the wrong token: it is an unmatched deposit, and booked.
  await payToken(coin.address, 5n)
  const [before, purseBefore] = [await tokenOf(world.treasury), await inLedger('purse')]
  await sweep()
  expect((await tokenOf(world.treasury)) - before).toBe(units)
  expect((await inLedger('purse')) > purseBefore).toBe(true)
  expect(await inLedger('purse')).toBe(begun.purse - (await coinOf(purse)))
  expect(world.logged()).not.toMatch(alarms)
})

test('a token paid before it was in the catalogue causes no mismatch afterwards', async () => {
  const code = { abi: testTokenAbi, bytecode: testTokenCode.TestToken, args: ['Dai', 'DAI', 18] } as const
  const hash = await world.client.deployContract(code)
  const token = (await world.client.waitForTransactionReceipt({ hash })).contractAddress as Hex
  const { address } = await world.request()
  await world.client.writeContract({ address: token, abi: testTokenAbi, functionName: 'mint', args: [address, 7n] })
  await world.settle()
  await world.settle()
  await saveToken(world.pool, { network: 'LOCAL', currency: 'USDC', address: token, decimals: 18 })
  await ensureBook(world.pool, 'test', 'USDC')
  await world.settle()
  await world.settle()
  expect(world.logged()).not.toMatch(alarms)
})

test('a token that refuses to move is logged and swept a day later', async () => {
  const blocking = {
    abi: testTokenAbi,
    bytecode: testTokenCode.BlockingToken,
    args: ['USD Coin', 'USDC', 6],
  } as const
  const hash = await world.client.deployContract(blocking)
  const { contractAddress } = await world.client.waitForTransactionReceipt({ hash })
  const token = { address: contractAddress as Hex, abi: testTokenAbi } as const
  await saveToken(world.pool, { network: 'LOCAL', currency: 'USDC', address: token.address, decimals: 6 })
  await setManualRate(world.pool, 'USDC', 'USD', '1', world.clock)
  const { address, toDeposit } = await world.request({ payWith: 'USDC' })
  const units = parseUnits(toDeposit, 6)
  await world.client.writeContract({ ...token, functionName: 'mint', args: [address, units] })
  await world.client.writeContract({ ...token, functionName: 'setBlocked', args: [address, true] })
  const held = (): Promise<bigint> =>
    world.client.readContract({ ...token, functionName: 'balanceOf', args: [world.treasury] })
  await world.settle()
  await world.settle()
  await sweep()
  expect(await held()).toBe(0n)
  expect(world.logged()).toMatch(/a sweep left something behind/)
  await world.client.writeContract({ ...token, functionName: 'setBlocked', args: [address, false] })
  await sweep()
  expect(await held()).toBe(0n)
  await world.pass(25 * 3_600)
  await sweep()
  expect(await held()).toBe(units)
})

test('a token that never moves is swept four times only', async () => {
  const blocking = { abi: testTokenAbi, bytecode: testTokenCode.BlockingToken, args: ['POL', 'POL', 6] } as const
  const hash = await world.client.deployContract(blocking)
  const { contractAddress } = await world.client.waitForTransactionReceipt({ hash })
  const token = { address: contractAddress as Hex, abi: testTokenAbi } as const
  await saveToken(world.pool, { network: 'LOCAL', currency: 'POL', address: token.address, decimals: 6 })
  await setManualRate(world.pool, 'POL', 'USD', '1', world.clock)
  const { address, toDeposit } = await world.request({ payWith: 'POL' })
  await world.client.writeContract({ ...token, functionName: 'mint', args: [address, parseUnits(toDeposit, 6)] })
  await world.client.writeContract({ ...token, functionName: 'setBlocked', args: [address, true] })
  await world.settle()
  await world.settle()
  const before = (await world.pool.query('select from chain_sends')).rowCount ?? 0
  for (let day = 0; day < 7; day++) {
    await sweep()
    await world.pass(25 * 3_600)
  }
  await setRates()
  expect((await world.pool.query('select from chain_sends')).rowCount).toBe(before + 4)
  expect(world.logged()).toMatch(/no further attempts/)
})

test('a hostile token that refills an address during a sweep causes no wrong booking', async () => {
  const code = { abi: refillingTokenAbi, bytecode: refillingTokenCode, args: [world.token] } as const
  const { contractAddress } = await world.client.waitForTransactionReceipt({
    hash: await world.client.deployContract(code),
  })
  const hostile = contractAddress as Hex
  const { address, toDeposit } = await world.request({ payWith: 'USDT' })
  const units = parseUnits(toDeposit, 6)
  await payToken(address, units)
  await world.settle()
  await world.settle()
  const aim = { abi: refillingTokenAbi, address: hostile, functionName: 'aim', args: [address, units] } as const
  await world.client.writeContract(aim)
  await payToken(hostile, units)
  const { rows } = await world.pool.query<{ salt: Hex }>('select salt from chain_addresses where address = $1', [
    address.toLowerCase(),
  ])
  const tokens = [hostile, world.token].toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  const args = [world.treasury, [rows[0]?.salt ?? '0x'], tokens] as const
  const call = { address: world.factory, abi: depositFactoryAbi, functionName: 'sweep', args } as const
  await world.client.waitForTransactionReceipt({ hash: await world.client.writeContract(call) })
  const alarmsBefore = world.logged().match(alarms)?.length ?? 0
  await world.settle()
  await world.settle()
  const known = await world.pool.query<{ came: bigint; left: bigint }>(
    `select (select coalesce(sum(amount), 0) from chain_payments where owner_id = a.owner_id and token = $2) as came,
        (select coalesce(sum(amount), 0) from chain_sweeps where owner_id = a.owner_id and token = $2) as left
      from chain_addresses a where address = $1`,
    [address.toLowerCase(), world.token.toLowerCase()],
  )
  const { came = 0n, left = 0n } = known.rows[0] ?? {}
  expect(came - left).toBe(await tokenOf(address))
  expect(world.logged().match(alarms)?.length ?? 0).toBe(alarmsBefore)
})

test('coin that a contract sends long after a deposit ended becomes a late payment', async () => {
  const { address, reference } = await world.request()
  await world.pass(2 * 3_600)
  await setRates()
  await world.settle()
  expect(await world.statusOf(reference)).toBe('FAILED')
  const salt = padHex('0x99', { size: 32 })
  const call = { address: world.factory, abi: depositFactoryAbi } as const
  const from = await world.client.readContract({ ...call, functionName: 'addressOf', args: [address, salt] })
  await payCoin(from, 1_234n)
  await world.client.writeContract({ ...call, functionName: 'sweep', args: [address, [salt], []] })
  await world.settle()
  await world.settle()
  await world.settle()
  const { cases } = (await world.get<{ cases: Case[] }>('/merchant-integrations-server/deposit-cases')).data
  expect(cases.filter((one) => one.reference === reference)).toMatchObject([{ kind: 'late', amount: 1.234e-15 }])
  expect(world.logged()).not.toMatch(alarms)
})

test('two concurrent workers queue one sweep of an address and record unseen coin once', async () => {
  const { address, toDeposit } = await world.request()
  await payCoin(address, parseEther(toDeposit))
  await world.settle()
  await world.settle()
  await world.pass(11 * 60)
  const queued = async (): Promise<number | null> => (await world.pool.query('select from chain_sends')).rowCount
  const before = (await queued()) ?? 0
  const plan = createPlanSweeps(world.tools, ['LOCAL'])
  // Open the connections first, so that the workers really race.
  await Promise.all([1, 2, 3, 4, 5].map(() => world.pool.query('select pg_sleep(0.1)')))
  await Promise.all([plan(), plan(), plan()])
  expect(await queued()).toBe(before + 1)
  // A deposit during a sweep waits for the next sweep.
  await world.pool.query(
    `update chain_addresses set wanted_at = wanted_at + interval '15 minutes' where address = $1`,
    [address.toLowerCase()],
  )
  await sweep()
  await sweep()
  expect(await queued()).toBe(before + 2)

  await setRates()
  const quiet = await world.request()
  const { rows } = await world.pool.query<{ ownerId: string }>(
    'select owner_id as "ownerId" from chain_addresses where address = $1',
    [quiet.address.toLowerCase()],
  )
  await world.ask('anvil_setBalance', quiet.address, '0x9')
  await world.ask('anvil_mine', '0x4')
  for (const { name, run } of world.jobs) if (name === 'blocks of LOCAL') while (await run()) continue
  const ours = { address: quiet.address.toLowerCase(), ownerId: rows[0]?.ownerId ?? '' }
  const silent = { log: createLog('silent'), leases: createLeases(world.ownerUrl) }
  const tools = { ...world.tools, ...silent, pool: world.chainPool }
  const number = (await findFinality(world.pool, world.networkId))?.number ?? 0n
  await Promise.all([1, 2, 3, 4, 5].map(() => world.pool.query('select pg_sleep(0.1)')))
  const notes = [0n, 1n, 2n].map((ago) =>
    recordUnseenCoin(tools, world.networkId, ours, 9n, number - ago, world.clock()),
  )
  expect((await Promise.all(notes)).filter(Boolean)).toHaveLength(1)
  await world.settle()
  expect(world.logged()).not.toMatch(alarms)
})

test('a balance of a block that was rolled back is ignored, and its payment is credited once', async () => {
  const { address, toDeposit } = await world.request()
  const hash = await payCoin(address, parseEther(toDeposit))
  await world.settle()
  await world.settle()
  const number = (await findFinality(world.pool, world.networkId))?.number ?? 0n
  const raw = await world.ask<string>('eth_getRawTransactionByHash', hash)
  await world.ask('anvil_reorg', 9, [[raw, 1]])
  // One worker reads the balance, and another rolls back before it is compared.
  const readBlocks = world.jobs.find(({ name }) => name === 'blocks of LOCAL')
  while (((await findFinality(world.pool, world.networkId))?.number ?? 0n) >= number) await readBlocks?.run()
  const { rows } = await world.pool.query<{ ownerId: string }>(
    'select owner_id as "ownerId" from chain_addresses where address = $1',
    [address.toLowerCase()],
  )
  const ours = { address: address.toLowerCase(), ownerId: rows[0]?.ownerId ?? '' }
  const silent = { log: createLog('silent'), leases: createLeases(world.ownerUrl) }
  const tools = { ...world.tools, ...silent, pool: world.chainPool }
  const noted = recordUnseenCoin(tools, world.networkId, ours, parseEther(toDeposit), number, world.clock())
  await expect(noted).rejects.toMatchObject({ code: 'CHAIN_DISAGREES' })
  await world.settle(12)
  await world.settle()
  const paid = await world.pool.query('select from chain_payments where address = $1 and gone_at is null', [
    address.toLowerCase(),
  ])
  expect(paid.rowCount).toBe(1)
})

test('a low address balance and a ledger balance that differs from the bookings are logged', async () => {
  const { address, toDeposit } = await world.request()
  await payCoin(address, parseEther(toDeposit))
  await world.settle()
  await world.settle()
  expect(world.logged()).not.toMatch(alarms)
  await world.ask('anvil_setBalance', address, '0x1')
  await world.settle()
  expect(world.logged()).toMatch(/address balance mismatch/)
  await world.ask('anvil_setBalance', address, `0x${parseEther(toDeposit).toString(16)}`)
  const owner = createPool(world.ownerUrl, 1)
  expect(await verifyLedger(owner)).toEqual([])
  await owner.query(`update chain_payments set booked_at = null where address = $1`, [address.toLowerCase()])
  await owner.query(`update chain_payments set gone_at = seen_at where address = $1`, [address.toLowerCase()])
  await world.work()
  expect(world.logged()).toMatch(/ledger balance mismatch/)
  // Also in a book without any bookings.
  const mismatches = (): number => world.logged().split('ledger balance mismatch').length
  await owner.query(`update chain_payments set booked_at = null, gone_at = seen_at where token = $1`, [
    world.token.toLowerCase(),
  ])
  await owner.end()
  const before = mismatches()
  await world.work()
  expect(mismatches() - before).toBe(2)
})
