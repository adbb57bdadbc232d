import { createWalletClient, erc20Abi, http, zeroAddress } from 'viem'
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { anvil } from 'viem/chains'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { deployVault } from '../contracts/deploy-vault.ts'
import { payoutKey, voucherKey } from '../server/local/parts/anvil.ts'
import { type ChainWorld, createChainWorld } from '../server/local/test/chain-world.ts'
import { runScrip } from '../server/local/test/scrip-command.ts'
import { asRole } from '../server/local/parts/database.ts'
import { setManualRate } from '../server/src/catalogue/currency/rates.ts'

// A test runs up to 20 commands, each in a process of its own.
vi.setConfig({ testTimeout: 60_000 })

let world: ChainWorld
let env: Record<string, string>
beforeAll(async () => {
  world = await createChainWorld()
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await world.settle()
  const url = asRole(world.ownerUrl, 'scrip_server')
  env = {
    DATABASE_URL: url,
    OPERATOR_DATABASE_URL: asRole(url, 'scrip_operator'),
    KEY_PEPPER: world.pepper,
    KEY_RING: world.keyRing,
    CHAIN_NODES: `LOCAL=${world.client.transport.url ?? ''}`,
    VOUCHER_KEY: voucherKey,
    PAYOUT_KEY: payoutKey,
  }
})
afterAll(() => world.stop())

const scrip = (words: string, ...more: string[]): Promise<string> => runScrip(env, [...words.split(' '), ...more])
/** Runs the command with other settings. */
const scripWith = (settings: Record<string, string>, words: string): Promise<string> =>
  runScrip({ ...env, ...settings }, words.split(' '))

const operator = privateKeyToAddress(voucherKey)
const deploy = async (asset: `0x${string}`, by: `0x${string}` = operator): Promise<`0x${string}`> => {
  // Another owner than in the local network, for another address.
  const terms = { asset, owner: '0x00000000000000000000000000000000000000A1', operator: by } as const
  return (await deployVault(world.client, terms)).address
}
const vaultOf = async (currency: string): Promise<string | undefined> => {
  const { rows } = await world.pool.query<{ vault: string }>(
    `select t.vault from network_tokens t join currencies c on c.id = t.currency_id join networks n on n.id = t.network_id
      where n.abbreviation = 'LOCAL' and c.abbreviation = $1`,
    [currency],
  )
  return rows[0]?.vault
}

test('a vault is set after a check on its network', async () => {
  const vault = await deploy(zeroAddress)
  expect(await scrip(`network vault LOCAL ETH ${vault.toLowerCase()}`)).toBe(
    `Onchain vouchers in ETH on LOCAL are in ${vault}.`,
  )
  expect(await vaultOf('ETH')).toBe(vault)
})

test('what is missing for a vault is printed, and the vault is not set', async () => {
  const before = await vaultOf('USDT')
  const refused = (fault: string): string => `The vault cannot be used:\n  - ${fault} (failed)`
  expect(await scrip(`network vault LOCAL USDT ${operator}`)).toBe(
    refused(`there is no contract at ${operator} on chain 31337`),
  )
  expect(await scrip(`network vault LOCAL USDT ${world.token}`)).toContain('is not a voucher vault of this version')
  const stranger = await deploy(zeroAddress, '0x00000000000000000000000000000000000000a2')
  expect(await scrip(`network vault LOCAL USDT ${stranger}`)).toBe(
    refused(
      `the vault holds the coin of the network, and the catalogue has the token ${world.token}\n` +
        `  - the address of VOUCHER_KEY, ${operator}, is not an operator of the vault`,
    ),
  )
  expect(await scrip(`network vault MARS USDT ${stranger}`)).toContain('There is no network MARS')
  expect(await scrip(`network vault LOCAL NGN ${stranger}`)).toContain('NGN is not on LOCAL.')
  expect(await scripWith({ VOUCHER_KEY: '' }, `network vault LOCAL USDT ${stranger}`)).toContain('Set VOUCHER_KEY')
  expect(await scripWith({ CHAIN_NODES: '' }, `network vault LOCAL USDT ${stranger}`)).toContain('in CHAIN_NODES')
  expect(await vaultOf('USDT')).toBe(before)
})

test('a vault for a token needs an allowance, which the worker sends', async () => {
  const vault = await deploy(world.token)
  expect(await scrip(`network vault LOCAL USDT ${vault}`)).toContain(`run network approve LOCAL USDT ${vault}`)
  // A part of an allowance is replaced.
  const account = privateKeyToAccount(voucherKey)
  const voucherClient = createWalletClient({ account, chain: anvil, transport: http(world.client.transport.url) })
  const approve = { address: world.token, abi: erc20Abi, functionName: 'approve', args: [vault, 1_000n] } as const
  await world.client.waitForTransactionReceipt({ hash: await voucherClient.writeContract(approve) })
  expect(await scrip(`network approve LOCAL USDT ${vault}`)).toContain('The worker sends the approval.')
  for (let i = 0; i < 3; i++) await world.settle()
  expect(await scrip(`network approve LOCAL USDT ${vault}`)).toBe('The vault needs no further allowance.')
  expect(await scrip(`network vault LOCAL USDT ${vault}`)).toContain('Onchain vouchers in USDT on LOCAL are in')
  expect(await vaultOf('USDT')).toBe(vault)
})

test('a vault is not replaced while vouchers are in it', async () => {
  const body = { amount: '0.05', currency: 'ETH', onchain: true }
  expect((await world.call('POST', '/sandbox/vouchers', { body })).status).toBe(200)
  const { address } = await deployVault(world.client, { asset: zeroAddress, owner: operator, operator })
  expect(await scrip(`network vault LOCAL ETH ${address}`)).toBe(
    'Another vault of LOCAL holds ETH of vouchers (1). Set this one when they are used or closed. (failed)',
  )
})

test('redemptions to addresses are allowed and stopped per network', async () => {
  expect(await scrip('network payouts LOCAL off')).toBe('Vouchers can no longer be redeemed to addresses on LOCAL.')
  const flag = async (): Promise<unknown> =>
    (await world.pool.query(`select pays_addresses as on from networks where abbreviation = 'LOCAL'`)).rows[0]
  expect(await flag()).toEqual({ on: false })
  expect(await scrip('network payouts LOCAL on')).toContain(
    `Keep coin and tokens at ${privateKeyToAddress(payoutKey)}.`,
  )
  expect(await flag()).toEqual({ on: true })
  expect(await scrip('network payouts MARS on')).toBe('There is no network MARS. (failed)')
  expect(await scrip('network payouts LOCAL maybe')).toContain('(failed)')
  expect(await scripWith({ PAYOUT_KEY: '' }, 'network payouts LOCAL on')).toContain('Set PAYOUT_KEY')
})

test('a denied address is refused by the API until it is allowed, and both acts are recorded', async () => {
  const address = '0x00000000000000000000000000000000000000b1'
  const { text } = await world.call('POST', '/sandbox/vouchers', { body: { amount: 100, currency: 'USD' } })
  const { code } = (JSON.parse(text) as { data: { code: string } }).data
  const quote = async (): Promise<string> => {
    const place = { walletAddress: address, toCurrencyAbbreviation: 'ETH', blockchainNetworkAbbreviation: 'LOCAL' }
    const body = { voucherCode: code, amount: 10, ...place }
    return (await world.call('POST', '/merchant-integrations/fetch-voucher-redemption-charges', { body })).text
  }
  expect(await quote()).toContain('quoteId')
  expect(await scrip('address list')).toBe('No address is denied.')
  expect(await scrip(`address deny ${address.toUpperCase().replace('X', 'x')} --reason`, 'On a sanctions list')).toBe(
    'The address is denied.',
  )
  expect(await scrip(`address deny ${address} --reason again`)).toBe('The address was denied before.')
  expect(await scrip('address list')).toMatch(new RegExp(`^${address}  20\\S+Z  On a sanctions list$`))
  expect(await quote()).toContain('WALLET_ADDRESS_DENIED')
  expect(await scrip(`address allow ${address}`)).toBe('The address is allowed.')
  expect(await scrip(`address allow ${address}`)).toBe('This address is not denied. (failed)')
  expect(await quote()).toContain('quoteId')
  expect(await scrip('address deny 0x12 --reason typo')).toContain('0x and 40 hexadecimal digits')
  const { rows } = await world.pool.query<{ operation: string }>(
    `select operation from acts where operation like 'scrip address%' and status = 200 order by id`,
  )
  expect(rows.map(({ operation }) => operation.split(' ')[2])).toEqual(['list', 'deny', 'deny', 'list', 'allow'])
})
