import { encodeFunctionData, erc20Abi, type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import { createPool } from '../../base/db.ts'
import { voucherVaultAbi } from '../../chain/voucher-vault.gen.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { claimKeyOf, signRedemption } from '../code/claim.ts'

const PK = '/merchant-integrations'
const SK = '/merchant-integrations-server'
const dayMs = 24 * 60 * 60 * 1_000

let world: ChainWorld
beforeAll(async () => {
  world = await createChainWorld()
  await setRates()
  await settle()
})
afterAll(() => world.stop())

const setRates = async (): Promise<void> => {
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await setManualRate(world.pool, 'USDT', 'USD', '1', world.clock)
  await setManualRate(world.pool, 'ETH', 'USDT', '2000', world.clock)
}
type Data = Record<string, unknown>
type Onchain = { readonly balance: string; readonly codeHash: Hex; readonly vault: Hex; readonly creator: Hex }
type Shown = Data & { readonly balance: number; readonly cryptoVoucherDetails: Onchain | null }
const verify = async (voucherCode: string): Promise<Shown> =>
  (await world.post(`${PK}/verify-voucher`, { voucherCode })).data as Shown
let wallets = 0
const newWallet = (): Hex => `0x${(0x5ca1ab1e_0000 + wallets++).toString(16).padStart(40, '0')}`
let references = 0
const newReference = (): string => `onchain-${references++}`
const coinOf = (address: Hex): Promise<bigint> => world.client.getBalance({ address })
/** Runs the jobs until what was sent is final and booked. A send that would revert is tried again later, and stops no other job. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 3; i++) {
    await world.ask('anvil_mine', '0x4')
    await work()
  }
}
const work = async (): Promise<void> => {
  for (const { name, run, settle: finish } of world.jobs) {
    const isSigning = name === 'unsent of voucher'
    while (await run().catch((error: unknown) => (isSigning ? false : Promise.reject(error as Error)))) continue
    await finish?.()
  }
}
/** An onchain voucher that is on its network. */
const issue = async (terms: object = {}): Promise<{ id: string; code: string }> => {
  const made = await world.issueVoucher('0.05', { currency: 'ETH', onchain: true, ...terms })
  await settle()
  return made
}
/** As a holder does without Scrip: with the code alone. */
const redeemDirectly = async (code: string, amount: bigint, recipient: Hex): Promise<Hex> => {
  const { vault, codeHash } = (await verify(code)).cryptoVoucherDetails ?? { vault: '0x', codeHash: '0x' }
  const { nonce } = await world.client.readContract({
    ...{ address: vault, abi: voucherVaultAbi, functionName: 'getVoucher', args: [codeHash] },
  } as const)
  const deadline = Math.floor(world.clock().getTime() / 1_000) + 600
  const ref: Hex = `0x${'0'.repeat(64)}`
  const redemption = { codeHash, recipient, amount, fee: 0n, feeRecipient: recipient, nonce, deadline, ref }
  const where = { chainId: world.client.chain.id, vault }
  const signature = await signRedemption(await claimKeyOf(code, where), where, redemption)
  const data = encodeFunctionData({ abi: voucherVaultAbi, functionName: 'redeem', args: [redemption, signature] })
  return world.client.sendTransaction({ to: vault, data })
}
/** What the vault holds for the voucher, and what the ledger does, both in the smallest unit. */
const compare = async (code: string): Promise<[onChain: bigint, inLedger: bigint]> => {
  const { id, cryptoVoucherDetails: onchain } = await verify(code)
  if (onchain === null) throw new Error('The voucher is not onchain.')
  const held = await world.client.readContract({
    ...{ address: onchain.vault, abi: voucherVaultAbi, functionName: 'getVoucher', args: [onchain.codeHash] },
  } as const)
  const { rows } = await world.pool.query<{ balance: bigint }>(
    `select balance from ledger_accounts where owner_id = $1 and kind = 'voucher'`,
    [id],
  )
  return [held.balance, rows[0]?.balance ?? -1n]
}

test('an onchain voucher is processing until its network is final, and then shows what the vault holds', async () => {
  const made = await world.post('/sandbox/vouchers', { amount: '0.050000000000000123', currency: 'ETH', onchain: true })
  expect(made.data, made.text).toMatchObject({ onchain: true, onchainProcessing: true, transactionHash: '' })
  const code = made.data.code as string
  const early = await world.redeem({ voucherCode: code, amount: '0.01' })
  expect([early.status, early.error?.code]).toEqual([409, 'VOUCHER_PROCESSING'])
  await settle()
  const shown = await verify(code)
  const details = { balance: '50000000000000123', value: '50000000000000123', isRedeemed: false }
  expect(shown).toMatchObject({ onchain: true, onchainProcessing: false, cryptoVoucherDetails: details })
  const metaData = JSON.parse(shown.metaData as string) as { explorerUrl: string; transactionHash: string }
  expect(metaData.transactionHash).toBe(shown.transactionHash)
  expect(metaData.explorerUrl).toContain(shown.transactionHash)
})

test('a currency without a vault, and an amount below the gas of its life, cannot go onchain', async () => {
  const fiat = await world.post('/sandbox/vouchers', { amount: 5, currency: 'USD', onchain: true })
  expect([fiat.status, fiat.error?.code]).toEqual([422, 'VOUCHER_ONCHAIN_UNAVAILABLE'])
  const elsewhere = await world.post('/sandbox/vouchers', {
    amount: 1,
    currency: 'ETH',
    onchain: true,
    network: 'NOPE',
  })
  expect([elsewhere.status, elsewhere.error?.code]).toEqual([422, 'VOUCHER_ONCHAIN_UNAVAILABLE'])
  const dust = await world.post('/sandbox/vouchers', { amount: '0.000001', currency: 'ETH', onchain: true })
  expect([dust.status, dust.error?.code]).toEqual([422, 'ONCHAIN_AMOUNT_INVALID'])
  const tooFine = await world.post('/sandbox/vouchers', { amount: '1.0000001', currency: 'USDT', onchain: true })
  expect([tooFine.status, tooFine.error?.code]).toEqual([422, 'ONCHAIN_AMOUNT_INVALID'])
})

test('a redemption to an address is PROCESSING, then COMPLETED: the quote to the wei, and vault and ledger agree', async () => {
  const { code } = await issue()
  const walletAddress = newWallet()
  const wanted = { voucherCode: code, amount: '0.02', walletAddress }
  const quoted = await world.call('POST', `${PK}/fetch-voucher-redemption-charges`, { body: wanted })
  const [, deducted = '', quoteId = ''] = /"totalDeductable":([\d.]+).*"quoteId":"([^"]+)"/.exec(quoted.text) ?? []
  const referenceId = newReference()
  const reply = await world.redeem({ ...wanted, referenceId, quoteId })
  expect(reply.status, reply.text).toBe(200)
  expect(await world.statusOf(referenceId)).toBe('PROCESSING')
  await settle()
  expect(await world.statusOf(referenceId)).toBe('COMPLETED')
  expect(await coinOf(walletAddress)).toBe(parseEther('0.02'))
  expect(await compare(code)).toEqual([
    parseEther('0.05') - parseEther(deducted),
    parseEther('0.05') - parseEther(deducted),
  ])
  expect((await verify(code)).redeemedVouchers).toMatchObject([{ redeemerWalletAddress: walletAddress, amount: 0.02 }])
})

test('without an address the merchant is credited when the treasury has it', async () => {
  const { code } = await issue()
  const before = await coinOf(world.treasury)
  const referenceId = newReference()
  await world.redeem({ voucherCode: code, amount: '0.02', referenceId })
  expect(await world.statusOf(referenceId)).toBe('PROCESSING')
  await settle()
  expect(await world.statusOf(referenceId)).toBe('COMPLETED')
  expect((await coinOf(world.treasury)) - before).toBe(parseEther('0.02'))
  const [held, inLedger] = await compare(code)
  expect(held).toBe(inLedger)
})

test('a token with six decimals: issued, redeemed to an address and closed when it expires', async () => {
  const expiresAt = new Date(world.clock().getTime() + dayMs).toISOString()
  await world.fund(100, { currency: 'USDT' })
  const made = await world.post(`${SK}/vouchers`, { amount: '10.5', currency: 'USDT', onchain: true, expiresAt })
  expect(made.status, made.text).toBe(200)
  const code = made.data.code as string
  await settle()
  const walletAddress = newWallet()
  const referenceId = newReference()
  const reply = await world.redeem({ voucherCode: code, amount: '4.000001', walletAddress, referenceId })
  expect(reply.status, reply.text).toBe(200)
  await settle()
  expect(await world.statusOf(referenceId)).toBe('COMPLETED')
  const token = { address: world.token, abi: erc20Abi, functionName: 'balanceOf', args: [walletAddress] } as const
  expect(await world.client.readContract(token)).toBe(4_000_001n)
  const tooFine = await world.redeem({ voucherCode: code, amount: '1.0000001', walletAddress })
  expect([tooFine.status, tooFine.error?.code]).toEqual([422, 'ONCHAIN_AMOUNT_INVALID'])
  await world.pass(2 * 24 * 60 * 60)
  await setRates()
  await settle()
  await settle()
  expect(await verify(code)).toMatchObject({ onchain: false, state: 'expired', balance: 0 })
})

test('a holder who redeems directly on the chain wins against a till whose transaction is not mined', async () => {
  const { code } = await issue()
  const [byHolder, byTill] = [newWallet(), newWallet()]
  await redeemDirectly(code, parseEther('0.03'), byHolder)
  const referenceId = newReference()
  // The ledger has not seen the block of the holder's redemption.
  const reply = await world.redeem({ voucherCode: code, amount: '0.02', walletAddress: byTill, referenceId })
  expect(reply.status, reply.text).toBe(200)
  await settle()
  expect(await world.statusOf(referenceId)).toBe('FAILED')
  expect([await coinOf(byHolder), await coinOf(byTill)]).toEqual([parseEther('0.03'), 0n])
  expect(await compare(code)).toEqual([parseEther('0.02'), parseEther('0.02')])
  const { redeemedVouchers } = await verify(code)
  expect(redeemedVouchers).toMatchObject([{ redeemerWalletAddress: byHolder, amount: 0.03 }])
})

test('one redemption of an onchain voucher at a time', async () => {
  const { code } = await issue()
  const sale = { voucherCode: code, amount: '0.01' }
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => world.redeem({ ...sale, walletAddress: newWallet(), referenceId: newReference() })),
  )
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
  expect(replies.find(({ status }) => status === 409)?.error?.code).toBe('REDEMPTION_PROCESSING')
  await settle()
  const [held, inLedger] = await compare(code)
  expect(held).toBe(inLedger)
})

test('a signed redemption that its network never mined fails after its deadline, with its whole value back', async () => {
  const { code } = await issue()
  await world.client.request({ method: 'evm_setAutomine' as never, params: [false] as never })
  const referenceId = newReference()
  await world.redeem({ voucherCode: code, amount: '0.02', walletAddress: newWallet(), referenceId })
  await work()
  await world.client.request({ method: 'anvil_dropAllTransactions' as never, params: [] as never })
  await world.pass(2 * 60 * 60)
  await setRates()
  await world.client.request({ method: 'evm_setAutomine' as never, params: [true] as never })
  await settle()
  expect(await world.statusOf(referenceId)).toBe('FAILED')
  expect(await compare(code)).toEqual([parseEther('0.05'), parseEther('0.05')])
})

test('a blocked voucher is refused at once, leaves its network, and is offchain when unblocked', async () => {
  const { id, code } = await issue()
  expect((await world.post(`${SK}/vouchers/${id}/block`, {})).status).toBe(200)
  expect((await world.redeem({ voucherCode: code, amount: '0.01' })).status).toBe(409)
  await settle()
  await settle()
  expect((await world.post(`${SK}/vouchers/${id}/unblock`, {})).status).toBe(200)
  expect(await verify(code)).toMatchObject({ onchain: false, balance: 0.05, cryptoVoucherDetails: null })
  const sold = await world.redeem({ voucherCode: code, amount: '0.01' })
  expect(sold.status, sold.text).toBe(200)
})

test('replacing an onchain voucher is refused until its network has returned the value, and then works', async () => {
  const { id } = await issue()
  const replace = () => world.post(`${SK}/vouchers/${id}/replace`, { referenceId: 'replacement-of-onchain' })
  const early = await replace()
  expect([early.status, early.error?.code]).toEqual([409, 'VOUCHER_CLOSING'])
  await settle()
  await settle()
  const replaced = await replace()
  expect(replaced.status, replaced.text).toBe(200)
  expect(replaced.data).toMatchObject({ onchain: false, balance: 0.05 })
})

test('a refund of an onchain voucher goes to a new voucher, and one to an address cannot be refunded', async () => {
  const { id, code } = await issue()
  const [credited, sent] = [newReference(), newReference()]
  await world.redeem({ voucherCode: code, amount: '0.02', referenceId: credited })
  await settle()
  const back = await world.post(`${SK}/refund`, {
    referenceId: credited,
    refundReferenceId: newReference(),
    reason: 'cold',
  })
  expect(back.status, back.text).toBe(200)
  const [newest] = (await world.get<{ vouchers: Data[] }>(`${SK}/vouchers?limit=1`)).data.vouchers
  expect(newest).toMatchObject({ onchain: false, balance: 0.02, amount: 0.02 })
  expect(newest?.id).not.toBe(id)
  await world.redeem({ voucherCode: code, amount: '0.01', walletAddress: newWallet(), referenceId: sent })
  await settle()
  const refused = await world.post(`${SK}/refund`, {
    referenceId: sent,
    refundReferenceId: newReference(),
    reason: 'no',
  })
  expect([refused.status, refused.error?.code]).toEqual([409, 'REFUND_IMPOSSIBLE'])
})

test('a batch is created on its network in one transaction', async () => {
  await world.fund(1, { currency: 'ETH' })
  const order = { size: 5, amount: '0.02', currency: 'ETH', onchain: true }
  const ordered = await world.post(`${SK}/voucher-batches`, order)
  expect(ordered.status, ordered.text).toBe(200)
  await settle()
  await settle()
  const { rows } = await world.pool.query<{ sends: number; open: number }>(
    `select count(distinct create_send_id)::int as sends, count(*) filter (where state = 'open')::int as open
      from onchain_vouchers where value = ${parseEther('0.02')}`,
  )
  expect(rows).toEqual([{ sends: 1, open: 5 }])
})

test('a reorganisation before a redemption is final changes nothing but its block', async () => {
  const { code } = await issue()
  const walletAddress = newWallet()
  const referenceId = newReference()
  await world.redeem({ voucherCode: code, amount: '0.02', walletAddress, referenceId })
  await work()
  await world.ask('anvil_mine', '0x1')
  await work()
  await world.ask('anvil_reorg', 2, [])
  await settle()
  await world.pass(20)
  await settle()
  expect(await world.statusOf(referenceId)).toBe('COMPLETED')
  expect(await coinOf(walletAddress)).toBe(parseEther('0.02'))
  const [held, inLedger] = await compare(code)
  expect(held).toBe(inLedger)
})

test('an offchain voucher pays an address in a coin of the network, with gas in the charge', async () => {
  const { data } = await world.post('/sandbox/vouchers', { amount: 100, currency: 'USD' })
  const walletAddress = newWallet()
  const where = { walletAddress, toCurrencyAbbreviation: 'ETH', blockchainNetworkAbbreviation: 'LOCAL' }
  const referenceId = newReference()
  const reply = await world.redeem({ voucherCode: data.code, amount: 10, ...where, referenceId })
  expect(reply.status, reply.text).toBe(200)
  expect(await world.statusOf(referenceId)).toBe('PROCESSING')
  await settle()
  expect(await world.statusOf(referenceId)).toBe('COMPLETED')
  expect(await coinOf(walletAddress)).toBeGreaterThan(parseEther('0.0049'))
})

test('an address on the deny list is refused', async () => {
  const { code } = await issue()
  const walletAddress = newWallet()
  await world.pool.query(`insert into denied_addresses values ($1, 'court order', $2)`, [walletAddress, world.clock()])
  const refused = await world.redeem({ voucherCode: code, amount: '0.01', walletAddress })
  expect([refused.status, refused.error?.code]).toEqual([403, 'WALLET_ADDRESS_DENIED'])
})

test('the ledger balances, nothing is on its way, and the vaults hold what the ledger says', async () => {
  const owner = createPool(world.ownerUrl, 1)
  expect(await verifyLedger(owner)).toEqual([])
  await owner.end()
  const { rows } = await world.pool.query(`select from ledger_accounts where kind = 'sending' and balance <> 0`)
  expect(rows).toEqual([])
  const jobs = world.jobs.filter(({ name }) => name === 'vaults of LOCAL')
  for (const { run } of jobs) while (await run()) continue
  expect(world.logged().match(/mismatch|differs from the vaults/g)).toBe(null)
})
