import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Call, type NodeProxy, startNodeProxy, type Told } from '../../../local/drill/node-proxy.ts'
import { createOnchainWorld, type OnchainWorld } from '../../../local/test/onchain-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'

/** Each node changes what the network says, if a test wants it to. */
let lies: (node: number, call: Call, told: Told) => Told = (_, __, told) => told
let world: OnchainWorld
const proxies: NodeProxy[] = []
let nodeUrl = ''
beforeAll(async () => {
  for (const node of [0, 1])
    proxies.push(
      await startNodeProxy(
        () => nodeUrl,
        async (call, pass) => ({ status: 200, body: lies(node, call, await pass(call)) }),
      ),
    )
  world = await createOnchainWorld((url) => {
    nodeUrl = url
    return proxies.map((proxy) => proxy.url)
  })
})
afterAll(async () => {
  await world.stop()
  for (const proxy of proxies) await proxy.stop()
})

const milli = 10n ** 15n
const honest = (): unknown => (lies = (_, __, told) => told)

test('addresses at which value would be lost are refused, in any spelling', async () => {
  const voucher = await world.issue()
  const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const wrong = [
    '0x0000000000000000000000000000000000000000',
    ...[voucher.vault, world.token, world.treasury, world.factory],
    world.token.toUpperCase().replace('0X', '0x'),
    checksummed.replace('5aA', '5AA'),
    checksummed.slice(0, -1),
    ` ${checksummed}`,
  ]
  for (const walletAddress of wrong) {
    const { status, error } = await world.redeemFrom(voucher, { walletAddress })
    expect([status, error?.code], walletAddress).toEqual([422, 'WALLET_ADDRESS_INVALID'])
  }
  expect(await world.balanceOf(voucher.id)).toBe(50n * milli)
})

test('a quote is for one redemption, of one merchant, to one address', async () => {
  const voucher = await world.issue()
  const walletAddress = world.newWallet()
  const wish = { voucherCode: voucher.code, amount: '0.01', walletAddress }
  const quote = async () => {
    const { data, text } = await world.post('/merchant-integrations/fetch-voucher-redemption-charges', wish)
    const { quoteId: made } = data.charges as { quoteId?: string }
    expect(made, text).toBeTypeOf('string')
    return made
  }
  const quoteId = await quote()
  const elsewhere = await world.redeemFrom(voucher, { walletAddress: world.newWallet(), quoteId })
  const byOthers = await world.redeemFrom(voucher, { walletAddress, quoteId }, world.theirs)
  const more = await world.redeemFrom(voucher, { walletAddress, quoteId, amount: '0.02' })
  for (const reply of [elsewhere, byOthers, more]) expect(reply.error?.code, reply.text).toBe('QUOTE_STALE')
  await world.redeemed(voucher, { walletAddress, quoteId })
  await world.finish()
  expect((await world.redeemFrom(voucher, { walletAddress, quoteId })).error?.code).toBe('QUOTE_STALE')
  expect(await world.coinOf(walletAddress)).toBe(10n * milli)
})

test('a PIN that is wrong sends nothing, and a locked voucher pays by our key only', async () => {
  const voucher = await world.issue({ lockPin: '4711' })
  const walletAddress = world.newWallet()
  const sends = async () => (await world.owner.query('select from chain_sends')).rowCount
  const before = await sends()
  expect((await world.redeemFrom(voucher, { walletAddress, lockPin: '4712' })).status).toBe(403)
  expect((await world.redeemFrom(voucher, { walletAddress })).status).toBe(403)
  expect(await sends()).toBe(before)
  const thief = world.newWallet()
  await world.holderRedeems(voucher, { recipient: thief, amount: milli })
  expect(await world.coinOf(thief)).toBe(0n)
  const reference = await world.redeemed(voucher, { walletAddress, lockPin: '4711' })
  await world.finish()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
})

test('"max" leaves nothing behind, in coin and in a token with fewer decimals than the ledger', async () => {
  for (const fields of [{}, { currency: 'USDT', amount: '12.345678' }]) {
    const voucher = await world.issue(fields)
    const reference = await world.redeemed(voucher, { amount: 'max', walletAddress: world.newWallet() })
    await world.finish()
    expect(await world.statusOf(reference)).toBe('COMPLETED')
    expect([await world.balanceOf(voucher.id), await world.inVault(voucher)]).toEqual([0n, 0n])
  }
})

test('a token that reports success and moves nothing fails the payout, and the value is back', async () => {
  const voucher = await world.issueVoucher()
  const code = (await world.client.getCode({ address: world.token })) ?? '0x'
  restoreAfterTest(() => world.ask('anvil_setCode', world.token, code))
  // Returns the largest number, whatever is asked: a balance, and a success.
  await world.ask('anvil_setCode', world.token, `0x7f${'ff'.repeat(32)}60005260206000f3`)
  const payout = { amount: 10, toCurrencyAbbreviation: 'USDT', blockchainNetworkAbbreviation: 'LOCAL' }
  const reference = await world.redeemed(voucher, { ...payout, walletAddress: world.newWallet() })
  await world.finish()
  await world.ask('anvil_setCode', world.token, code)
  expect(await world.statusOf(reference)).toBe('FAILED')
  // Less the gas that was spent, which is below a dollar.
  expect(await world.balanceOf(voucher.id)).toBeGreaterThan(9_900n)
  expect(await world.faults()).toEqual([])
})

test('one node alone refuses no redemption and proves none', async () => {
  const [first, second] = [await world.issue(), await world.issue()]
  const walletAddress = world.newWallet()
  lies = (node, { method }, told) =>
    node === 1 && method === 'eth_estimateGas' ? { error: { code: 3, message: 'execution reverted' } } : told
  const reference = await world.redeemed(first, { walletAddress })
  await world.finish()
  expect(await world.statusOf(reference)).toBe('PROCESSING')
  honest()
  await world.pass(120)
  await world.finish()
  expect(await world.statusOf(reference)).toBe('COMPLETED')

  // A node hides the logs of a receipt: neither is the payout failed, nor is a log booked.
  const voucher = await world.issueVoucher()
  const payout = { amount: 10, toCurrencyAbbreviation: 'USDT', blockchainNetworkAbbreviation: 'LOCAL' }
  lies = (node, { method }, told) =>
    node === 1 && method === 'eth_getTransactionReceipt' && told.result !== null
      ? { result: { ...(told.result as object), logs: [] } }
      : told
  const hidden = await world.redeemed(voucher, { ...payout, walletAddress: world.newWallet() })
  const fromVault = await world.redeemed(second, { walletAddress: world.newWallet() })
  await world.finish()
  expect([await world.statusOf(hidden), await world.statusOf(fromVault)]).toEqual(['PROCESSING', 'PROCESSING'])
  honest()
  await world.pass(120)
  await world.finish()
  expect([await world.statusOf(hidden), await world.statusOf(fromVault)]).toEqual(['COMPLETED', 'COMPLETED'])
  expect(await world.faults()).toEqual([])
})

test('a worker that has not the key of the oldest sends goes on with the others', async () => {
  const voucher = await world.issue()
  await world.owner.query(
    `insert into chain_sends (id, network_id, lane, reference, to_address, data, value, asked_at, from_address)
      select ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, $1, 'voucher', 'lost/' || i, $2, '0x', 0, $4, $3
      from generate_series(1, 40) i`,
    [world.networkId, world.newWallet(), world.newWallet(), world.clock()],
  )
  const reference = await world.redeemed(voucher, { walletAddress: world.newWallet() })
  await world.finish()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
})

test('a redemption that never left is withdrawn after its deadline, and its value is back', async () => {
  const voucher = await world.issue()
  const walletAddress = world.newWallet()
  lies = (_, { method }, told) => (method === 'eth_estimateGas' ? { error: { message: 'busy' } } : told)
  const reference = await world.redeemed(voucher, { walletAddress })
  await world.finish()
  await world.pass(2 * 60 * 60)
  await world.setRates()
  await world.finish()
  honest()
  expect(await world.statusOf(reference)).toBe('FAILED')
  await world.finish()
  expect(await world.coinOf(walletAddress)).toBe(0n)
  expect([await world.balanceOf(voucher.id), await world.inVault(voucher)]).toEqual([50n * milli, 50n * milli])
  const { rows } = await world.owner.query(
    `select outcome from chain_sends where id = (select id from address_redemptions where recipient = $1)`,
    [walletAddress],
  )
  expect(rows).toEqual([{ outcome: 'refused' }])
})

test('a closing of a voucher that its holder has emptied does not wait for ever', async () => {
  const voucher = await world.issue()
  await world.ask('evm_setAutomine', false)
  await world.post(`/merchant-integrations-server/vouchers/${voucher.id}/block`, {})
  await world.runJob('closings')
  const recipient = world.newWallet()
  await world.holderRedeems(voucher, { recipient, amount: 50n * milli })
  await world.ask('evm_setAutomine', true)
  await world.finish()
  await world.pass(120)
  await world.finish()
  expect(await world.coinOf(recipient)).toBe(50n * milli)
  const { rows } = await world.owner.query(
    `select o.state, v.is_onchain, s.ended_at is not null as "isEnded" from onchain_vouchers o
      join vouchers v on v.id = o.voucher_id join chain_sends s on s.id = o.close_send_id where o.voucher_id = $1`,
    [voucher.id],
  )
  expect(rows).toEqual([{ state: 'closed', is_onchain: false, isEnded: true }])
  expect(await world.faults()).toEqual([])
})

test('409: a redemption that was priced before another one was final is not signed with its nonce', async () => {
  const voucher = await world.issue()
  await world.redeemed(voucher, { walletAddress: world.newWallet() })
  await world.finish()
  // As if the request had read the voucher before the first redemption was booked.
  const late = world.owner.query(
    `insert into address_redemptions (environment_id, id, voucher_id, network_id, recipient, token, units, gas, gas_wei, vault, nonce,
        deadline, ref_hash, fee, fee_recipient)
      select environment_id, gen_random_uuid(), voucher_id, network_id, recipient, token, units, gas, gas_wei, vault, nonce, deadline,
        ref_hash, fee, fee_recipient from address_redemptions where voucher_id = $1`,
    [voucher.id],
  )
  await expect(late).rejects.toMatchObject({ constraint: 'address_redemptions_one_open' })
})
