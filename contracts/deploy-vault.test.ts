import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  type Address,
  type BaseError,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  HttpRequestError,
  publicActions,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { anvil as chain } from 'viem/chains'
import { describe, expect, onTestFinished, test } from 'vitest'
import { anvilKey, startAnvil } from '../server/local/parts/anvil.ts'
import { testTokenAbi, testTokenCode } from '../server/local/parts/test-token.gen.ts'
import { voucherVaultAbi as abi } from '../server/src/chain/voucher-vault.gen.ts'
import { deployVault, vaultAddressOf, vaultSelfTest } from './deploy-vault.ts'
import { brokenFactoryAbi, testContractCode } from './test-contracts.gen.ts'

const account = privateKeyToAccount(anvilKey)
const owner = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const operator = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

async function createWorld(...args: string[]) {
  const node = await startAnvil(args)
  onTestFinished(node.stop)
  const transport = http(node.url, { retryCount: 0 })
  const client = createWalletClient({ account, chain, transport, pollingInterval: 20, cacheTime: 0 }).extend(
    publicActions,
  )
  const recipient = privateKeyToAccount(generatePrivateKey()).address
  const deploy = async (abi: readonly unknown[], bytecode: Hex, given: unknown[]): Promise<Address> => {
    const hash = await client.deployContract({ abi, bytecode, args: given })
    return (await client.waitForTransactionReceipt({ hash })).contractAddress!
  }
  const token = async (name: keyof typeof testTokenCode): Promise<Address> => {
    const address = await deploy(testTokenAbi, testTokenCode[name], [name, 'USD', 6])
    const call = { address, abi: testTokenAbi, functionName: 'mint', args: [account.address, 1_000_000n] } as const
    await client.waitForTransactionReceipt({ hash: await client.writeContract(call) })
    return address
  }
  const trialOf = (vault: Address, asset: Address = zeroAddress, amount?: bigint) =>
    vaultSelfTest(client, { vault, asset, recipient, claimKey: generatePrivateKey(), amount })
  return { node, client, recipient, deploy, token, trialOf }
}

describe('a vault', () => {
  test.each(['paris', 'shanghai', 'cancun', 'osaka'])('of coin or a token works on a network of %s', async (fork) => {
    const world = await createWorld('--hardfork', fork)
    for (const asset of [zeroAddress, await world.token('TestToken'), await world.token('SilentToken')]) {
      const vault = await deployVault(world.client, { asset, owner, operator })
      expect(vault).toEqual({ address: vaultAddressOf({ asset, owner, operator }), isAtCommonAddress: true })
      expect(await world.trialOf(vault.address, asset)).toEqual([])
    }
  })

  test('can be tested again, with another claim key', async () => {
    const { client, token, trialOf } = await createWorld()
    const asset = await token('TestToken')
    const { address } = await deployVault(client, { asset, owner, operator })
    expect(await trialOf(address, asset)).toEqual([])
    expect(await trialOf(address, asset)).toEqual([])
  })

  test('is deployed once, with the owner, operator and asset that were given', async () => {
    const { client } = await createWorld()
    const terms = { asset: zeroAddress, owner, operator } as const
    const first = await deployVault(client, terms)
    const count = await client.getTransactionCount({ address: account.address })
    expect(await deployVault(client, terms)).toEqual(first)
    expect(await client.getTransactionCount({ address: account.address })).toBe(count)
    const vault = { address: first.address, abi } as const
    expect(await client.readContract({ ...vault, functionName: 'owner' })).toBe(owner)
    expect(await client.readContract({ ...vault, functionName: 'asset' })).toBe(zeroAddress)
    expect(await client.readContract({ ...vault, functionName: 'isOperator', args: [operator] })).toBe(true)
    expect(vaultAddressOf({ ...terms, operator: owner })).not.toBe(first.address)
  })

  test('without the common deployer gets another address, and works', async () => {
    const { client, node, trialOf } = await createWorld()
    const anvil = createTestClient({ mode: 'anvil', chain, transport: http(node.url) })
    await anvil.setCode({ address: '0x4e59b44847b379578588920cA78FbF26c0B4956C', bytecode: '0x' })
    const vault = await deployVault(client, { asset: zeroAddress, owner, operator })
    expect(vault.isAtCommonAddress).toBe(false)
    expect(await trialOf(vault.address)).toEqual([])
  })

  test('is not deployed for an asset that is no contract', async () => {
    const { client, recipient } = await createWorld()
    await expect(deployVault(client, { asset: recipient, owner, operator })).rejects.toThrow()
  })
})

describe('the self-test detects', () => {
  test('a token that keeps a part of each transfer', async () => {
    const world = await createWorld()
    const asset = await world.token('TaxedToken')
    const vault = await deployVault(world.client, { asset, owner, operator })
    expect(await world.trialOf(vault.address, asset)).toEqual([
      expect.stringMatching(/^create: the network refused: .*PaymentInexact/),
    ])
  })

  test('a token that blocks the recipient', async () => {
    const world = await createWorld()
    const asset = await world.token('BlockingToken')
    const vault = await deployVault(world.client, { asset, owner, operator })
    const block = { abi: testTokenAbi, functionName: 'setBlocked', args: [world.recipient, true] } as const
    const hash = await world.client.writeContract({ address: asset, ...block })
    await world.client.waitForTransactionReceipt({ hash })
    expect(await world.trialOf(vault.address, asset)).toEqual([
      expect.stringMatching(/^redeem: the network refused: .*TransferFailed/),
    ])
  })

  test('a paused vault', async () => {
    const { client, trialOf } = await createWorld()
    const { address } = await deployVault(client, { asset: zeroAddress, owner: account.address, operator })
    const hash = await client.writeContract({ address, abi, functionName: 'pause' })
    await client.waitForTransactionReceipt({ hash })
    expect(await trialOf(address)).toEqual([expect.stringMatching(/^create: the network refused: .*VaultPaused/)])
  })

  test('an account without the token', async () => {
    const world = await createWorld()
    const asset = await world.deploy(testTokenAbi, testTokenCode.TestToken, ['Dollar', 'USD', 6])
    const vault = await deployVault(world.client, { asset, owner, operator })
    expect(await world.trialOf(vault.address, asset)).toEqual([expect.stringMatching(/^create: the network refused/)])
  })

  test('an address without a vault', async () => {
    const { trialOf, recipient } = await createWorld()
    expect(await trialOf(recipient)).toEqual(['there is no contract at the address of the vault'])
  })

  test('nothing about a network that cannot be reached', async () => {
    const { client, node, trialOf } = await createWorld()
    const { address } = await deployVault(client, { asset: zeroAddress, owner, operator })
    await node.stop()
    const failure = (await trialOf(address).catch((error: unknown) => error)) as BaseError
    expect(failure.walk((cause) => cause instanceof HttpRequestError)).toBeInstanceOf(HttpRequestError)
  })

  const faults = [
    ['no fault if there is none', 0, []],
    ['a payment to another account', 1, [/^redeem: the balance of the recipient changed by 0 coin instead of 1/]],
    [
      'a payment of too much',
      2,
      [/recipient changed by 2 coin instead of 1/, /vault changed by -2 coin instead of -1/],
    ],
    ['a missing event', 3, [/^redeem: the event does not report the redemption/]],
    ['an event with another reference', 4, [/^redeem: the event does not report the redemption/]],
    ['a balance that stays', 5, [/event does not report/, /voucher has a balance of 3 instead of 2/]],
    ['a vault that accepts replays', 6, [/^refuse: the vault accepts an executed redemption/]],
    [
      'a vault that accepts any signature',
      7,
      [/accepts another recipient than signed/, /accepts a higher fee than signed/],
    ],
    ['a vault that ignores deadlines', 8, [/^refuse: the vault accepts a redemption after its deadline/]],
    ['a vault that keeps the rest', 9, [/^close: the balance of the vault changed by 0 coin instead of -2/]],
    ['a vault that creates nothing', 10, [/^create: the voucher has a balance of 0 instead of 3/]],
    ['a vault that cannot redeem', 11, [/^redeem: the network refused/]],
  ] as const
  test.each(faults)('%s', async (_name, fault, expected) => {
    const world = await createWorld()
    const vault = await world.deploy(brokenFactoryAbi, testContractCode.brokenVault, [fault])
    // Coin of others, so that a vault can pay more than it received in the test.
    const hash = await world.client.writeContract({
      address: vault,
      abi,
      functionName: 'createVoucher',
      args: [owner, 10n, 2_000_000_000, false, false],
      value: 10n,
    })
    await world.client.waitForTransactionReceipt({ hash })
    expect(await world.trialOf(vault, zeroAddress, 3n)).toEqual(
      expected.map((form) => expect.stringMatching(form) as string),
    )
  })
})

test('the command prints the vault, or exits with 1', async () => {
  const { node, recipient, token } = await createWorld()
  const run = (more: Record<string, string>) =>
    promisify(execFile)(process.execPath, [join(import.meta.dirname, 'main.ts'), 'vault'], {
      env: {
        ...process.env,
        RPC_URL: node.url,
        DEPLOYER_KEY: anvilKey,
        TREASURY: recipient,
        OWNER: owner,
        OPERATOR: operator,
        ...more,
      },
    })
  const { stdout } = await run({})
  expect(JSON.parse(stdout)).toEqual({
    chainId: chain.id,
    asset: zeroAddress,
    owner,
    operator,
    address: vaultAddressOf({ asset: zeroAddress, owner, operator }),
    isAtCommonAddress: true,
  })
  await expect(run({ TOKEN: await token('TaxedToken') })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('must not be activated') as string,
  })
})
