import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payoutKey } from '../../../local/parts/anvil.ts'
import { createOnchainWorld, type OnchainWorld } from '../../../local/test/onchain-world.ts'
import { refHashOf } from '../redeem/prepare-send.ts'

let world: OnchainWorld
beforeAll(async () => {
  world = await createOnchainWorld()
})
afterAll(() => world.stop())

const milli = 10n ** 15n

test('a holder who copies our reference and pays himself does not make the merchant paid', async () => {
  const voucher = await world.issue()
  const before = await world.balanceOf(world.ours.environmentId, 'merchant')
  const reference = await world.redeemed(voucher, { amount: '0.02' })
  const thief = world.newWallet()
  const ref = refHashOf('OURS', reference)
  await world.holderRedeems(voucher, { recipient: thief, amount: 20n * milli, ref })
  await world.finish()
  expect(await world.coinOf(thief)).toBe(20n * milli)
  expect(await world.statusOf(reference)).toBe('FAILED')
  expect(await world.balanceOf(world.ours.environmentId, 'merchant')).toBe(before)
  expect(await world.balanceOf(voucher.id)).toBe(await world.inVault(voucher))
  expect(await world.faults()).toEqual([])
})

test('a holder who pays our amounts to our recipient, but the fee to himself, is a stranger too', async () => {
  const voucher = await world.issue()
  const walletAddress = world.newWallet()
  const reference = await world.redeemed(voucher, { walletAddress })
  const { rows } = await world.pool.query<{ fee: bigint }>('select fee from address_redemptions where recipient = $1', [
    walletAddress,
  ])
  const fee = rows[0]?.fee ?? 0n
  expect(fee).toBeGreaterThan(0n)
  const wanted = { recipient: walletAddress, amount: 10n * milli, ref: refHashOf('OURS', reference) }
  await world.holderRedeems(voucher, { ...wanted, fee, feeRecipient: world.newWallet() })
  await world.finish()
  expect(await world.statusOf(reference)).toBe('FAILED')
  expect(await world.coinOf(walletAddress)).toBe(10n * milli)
  expect(await world.balanceOf(voucher.id)).toBe(await world.inVault(voucher))
  expect(await world.faults()).toEqual([])
})

test('a redemption that a stranger relays is COMPLETED, although our own transaction reverted', async () => {
  const voucher = await world.issue()
  const walletAddress = world.newWallet()
  const reference = await world.redeemed(voucher, { walletAddress })
  await world.ask('evm_setAutomine', false)
  await world.runJob('unsent of voucher')
  const { rows } = await world.pool.query<{ to: Hex; data: Hex; id: string }>(
    'select to_address as "to", data, id from chain_sends where id = (select id from address_redemptions where recipient = $1)',
    [walletAddress],
  )
  const [send] = rows
  if (send === undefined) throw new Error('Nothing is sent.')
  // The stranger pays more and is first.
  const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n, gas: 300_000n }
  await world.client.sendTransaction({ to: send.to, data: send.data, ...fees })
  await world.ask('evm_setAutomine', true)
  await world.ask('anvil_mine', '0x6')
  await world.runJob('blocks of LOCAL')
  // The monitor of sends runs before the logs are booked.
  await world.runJob('sends to LOCAL')
  const outcome = await world.pool.query('select outcome from chain_sends where id = $1', [send.id])
  expect(outcome.rows).toEqual([{ outcome: 'reverted' }])
  expect(await world.statusOf(reference)).toBe('PROCESSING')
  await world.finish()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  expect(await world.coinOf(walletAddress)).toBe(10n * milli)
  expect(await world.balanceOf(voucher.id)).toBe(await world.inVault(voucher))
  expect(await world.faults()).toEqual([])
})

test('a blocked voucher stays blocked after its holder redeemed a part on the network', async () => {
  const voucher = await world.issue()
  const blocked = await world.post(`/merchant-integrations-server/vouchers/${voucher.id}/block`, {})
  if (blocked.status !== 200) throw new Error(blocked.text)
  await world.holderRedeems(voucher, { recipient: world.newWallet(), amount: 20n * milli })
  await world.finish()
  for (let i = 0; i < 3; i++) {
    await world.pass(10)
    await world.finish()
  }
  const { rows } = await world.owner.query(
    'select is_onchain, (select state from ledger_accounts where owner_id = v.id) as state from vouchers v where id = $1',
    [voucher.id],
  )
  expect(rows).toEqual([{ is_onchain: false, state: 'no_debit' }])
  expect((await world.redeemFrom(voucher)).error?.code).toBe('VOUCHER_BLOCKED')
  expect(await world.balanceOf(voucher.id)).toBe(30n * milli)
  expect(await world.faults()).toEqual([])
})

test('a recipient that refuses coin, or burns all gas, fails the redemption and the value is back', async () => {
  const codes = { refuses: '0x60006000fd', invalid: '0xfe', loops: '0x5b600056' }
  const vouchers = [await world.issue(), await world.issue(), await world.issue()]
  for (const [i, code] of Object.values(codes).entries()) {
    const voucher = vouchers[i]
    if (voucher === undefined) throw new Error('A voucher is missing.')
    const walletAddress = world.newWallet()
    await world.ask('anvil_setCode', walletAddress, code)
    const fromVault = await world.redeemed(voucher, { walletAddress })
    const offchain = await world.issueVoucher()
    const payout = { amount: 10, walletAddress, toCurrencyAbbreviation: 'ETH', blockchainNetworkAbbreviation: 'LOCAL' }
    const fromKey = await world.redeemFrom(offchain, payout)
    expect(fromKey.status, fromKey.text).toBe(200)
    await world.finish()
    expect([await world.statusOf(fromVault), await world.statusOf(fromKey.referenceId)], code).toEqual([
      'FAILED',
      'FAILED',
    ])
    expect(await world.balanceOf(voucher.id)).toBe(50n * milli)
    expect(await world.balanceOf(offchain.id)).toBe(10_000n)
    expect(await world.coinOf(walletAddress)).toBe(0n)
    // The next redemption of the same voucher goes through.
    const next = await world.redeemed(voucher, { walletAddress: world.newWallet() })
    await world.finish()
    expect(await world.statusOf(next)).toBe('COMPLETED')
  }
  expect(await world.faults()).toEqual([])
})

test('payouts wait while the key has no funds, whatever the asset, and follow when it has', async () => {
  const key = privateKeyToAddress(payoutKey)
  const transferOf = (to: Hex, amount: bigint): Hex =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
  const tokensOf = (holder: Hex): Promise<bigint> =>
    world.client.readContract({ address: world.token, abi: erc20Abi, functionName: 'balanceOf', args: [holder] })
  const [coins, tokens] = [await world.coinOf(key), await tokensOf(key)]
  await world.ask('anvil_impersonateAccount', key)
  // 15 tokens are left: enough for each of two payouts, and not for both.
  const away = { from: key, to: world.token, data: transferOf(world.client.account.address, tokens - 15_000_000n) }
  await world.ask('eth_sendTransaction', away)
  await world.ask('anvil_stopImpersonatingAccount', key)
  const voucher = await world.issueVoucher(1000)
  const payout = { blockchainNetworkAbbreviation: 'LOCAL', amount: 10, toCurrencyAbbreviation: 'USDT' }
  const [first, second, third] = [world.newWallet(), world.newWallet(), world.newWallet()]
  const pay = (walletAddress: Hex, more: object = {}) =>
    world.redeemFrom(voucher, { ...payout, walletAddress, ...more })
  const sent = [await pay(first), await pay(second)]
  await world.finish()
  const statuses = await Promise.all(sent.map(({ referenceId }) => world.statusOf(referenceId)))
  expect(statuses.toSorted()).toEqual(['COMPLETED', 'PROCESSING'])
  await world.ask('anvil_setBalance', key, '0x0')
  const inCoin = await pay(third, { toCurrencyAbbreviation: 'ETH' })
  await world.finish()
  expect(await world.statusOf(inCoin.referenceId)).toBe('PROCESSING')
  await world.ask('anvil_setBalance', key, `0x${coins.toString(16)}`)
  await world.client.sendTransaction({ to: world.token, data: transferOf(key, tokens) })
  await world.pass(120)
  await world.finish()
  for (const { referenceId } of [...sent, inCoin]) expect(await world.statusOf(referenceId)).toBe('COMPLETED')
  // The exchange desk keeps its spread.
  for (const wallet of [first, second]) expect(await tokensOf(wallet)).toBeGreaterThan(9_000_000n)
  expect(await world.coinOf(third)).toBeGreaterThan(0n)
  expect(await world.faults()).toEqual([])
})

test('409: of many redemptions of one voucher at the same time, one is accepted', async () => {
  const voucher = await world.issue()
  const recipients = Array.from({ length: 12 }, world.newWallet)
  const replies = await Promise.all(recipients.map((walletAddress) => world.redeemFrom(voucher, { walletAddress })))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(11).fill(409)])
  expect(new Set(replies.flatMap(({ error }) => error?.code ?? []))).toEqual(new Set(['REDEMPTION_PROCESSING']))
  await world.finish()
  const paid = await Promise.all(recipients.map(world.coinOf))
  expect(paid.reduce((sum, each) => sum + each, 0n)).toBe(10n * milli)
  expect(await world.faults()).toEqual([])
})

test('a voucher is redeemed at another merchant, and its holder may be faster there too', async () => {
  const [paid, lost] = [await world.issue(), await world.issue()]
  const before = await world.balanceOf(world.theirs.environmentId, 'merchant')
  const reference = await world.redeemed(paid, {}, world.theirs)
  const beaten = await world.redeemed(lost, { amount: '0.03' }, world.theirs)
  await world.holderRedeems(lost, { recipient: world.newWallet(), amount: 40n * milli })
  await world.finish()
  const statusAt = async (referenceId: string): Promise<string> => {
    return world.statusOf(referenceId, world.theirs)
  }
  expect([await statusAt(reference), await statusAt(beaten)]).toEqual(['COMPLETED', 'FAILED'])
  expect((await world.balanceOf(world.theirs.environmentId, 'merchant')) - before).toBe(10n * milli)
  for (const voucher of [paid, lost]) expect(await world.balanceOf(voucher.id)).toBe(await world.inVault(voucher))
  expect(await world.faults()).toEqual([])
})

test('a voucher that expired before it was on its network goes on offchain', async () => {
  const expires = new Date(world.clock().getTime() + 60_000).toISOString()
  await world.fund(1, { currency: 'ETH' })
  const body = { amount: '0.05', currency: 'ETH', onchain: true, expiresAt: expires, referenceId: 'short' }
  const reply = await world.post(`/merchant-integrations-server/vouchers`, body)
  expect(reply.status, reply.text).toBe(200)
  await world.pass(120)
  await world.finish()
  for (let i = 0; i < 3; i++) {
    await world.pass(10)
    await world.finish()
  }
  const { rows } = await world.owner.query(
    'select v.is_onchain, v.expired_at is not null as is_expired, o.state from vouchers v join onchain_vouchers o on o.voucher_id = v.id where v.id = $1',
    [reply.data.id],
  )
  expect(rows).toEqual([{ is_onchain: false, is_expired: true, state: 'closed' }])
  expect(await world.faults()).toEqual([])
})
