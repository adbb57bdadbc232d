import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  type Address,
  type BaseError,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  HttpRequestError,
  padHex,
  parseAbi,
  publicActions,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { anvil as chain } from 'viem/chains'
import { describe, expect, onTestFinished, test } from 'vitest'
import { anvilKey, startAnvil } from '../server/local/parts/anvil.ts'
import { testTokenAbi, testTokenCode } from '../server/local/parts/test-token.gen.ts'
import { depositFactoryAbi } from '../server/src/chain/deposit-factory.gen.ts'
import { chooseFactory, commonAddressOf, deployFactory, type FactoryClient, selfTest } from './deploy.ts'
import { brokenFactoryAbi, testContractCode } from './test-contracts.gen.ts'

const account = privateKeyToAccount(anvilKey)
const salt = padHex('0x01', { size: 32 })

function clientOf(url: string): FactoryClient {
  return createWalletClient({
    account,
    chain,
    transport: http(url, { retryCount: 0 }),
    pollingInterval: 20,
    cacheTime: 0,
  }).extend(publicActions)
}

async function createWorld(...args: string[]) {
  const node = await startAnvil(args)
  onTestFinished(node.stop)
  const client = clientOf(node.url)
  const treasury = privateKeyToAccount(generatePrivateKey()).address
  const deploy = async (abi: readonly unknown[], bytecode: Hex, given: unknown[] = []): Promise<Address> => {
    const hash = await client.deployContract({ abi, bytecode, args: given })
    return (await client.waitForTransactionReceipt({ hash })).contractAddress!
  }
  const token = async (name: keyof typeof testTokenCode): Promise<Address> => {
    const address = await deploy(testTokenAbi, testTokenCode[name], [name, 'USD', 6])
    const call = { address, abi: testTokenAbi, functionName: 'mint', args: [account.address, 1_000n] } as const
    await client.waitForTransactionReceipt({ hash: await client.writeContract(call) })
    return address
  }
  const statusOf = async (hash: Hex) => (await client.waitForTransactionReceipt({ hash })).status
  const deposit = (factory: Address) =>
    client.readContract({ address: factory, abi: depositFactoryAbi, functionName: 'addressOf', args: [treasury, salt] })
  return { node, client, treasury, deploy, token, statusOf, deposit }
}

describe('a network', () => {
  test.each(['cancun', 'prague', 'osaka'])(
    'from Cancun on passes with the factory that leaves no code: %s',
    async (fork) => {
      const world = await createWorld('--hardfork', fork)
      const chosen = await chooseFactory(world.client, {
        treasury: world.treasury,
        salt,
        token: await world.token('TestToken'),
      })
      expect(chosen).toEqual({
        factory: { kind: 'ephemeral', address: commonAddressOf('ephemeral'), isAtCommonAddress: true },
        faults: [],
      })
    },
  )

  test.each(['paris', 'shanghai'])('before Cancun passes only with lasting deposits: %s', async (fork) => {
    const world = await createWorld('--hardfork', fork)
    const trial = { treasury: world.treasury, salt, token: await world.token('SilentToken') }
    expect(await chooseFactory(world.client, trial)).toEqual({
      factory: { kind: 'lasting', address: commonAddressOf('lasting'), isAtCommonAddress: true },
      faults: [expect.stringMatching(/^ephemeral: the network refused/)],
    })
  })

  test('is not activated when no factory passes', async () => {
    const world = await createWorld()
    // A factory is a contract that accepts no ether.
    const { address: treasury } = await deployFactory(world.client, 'ephemeral')
    expect(await chooseFactory(world.client, { treasury, salt })).toEqual({
      faults: ['ephemeral', 'lasting'].flatMap((kind) => [
        `${kind}: sweep 1 of 2: coin stayed behind`,
        `${kind}: sweep 1 of 2: the treasury received 0 coin of 1`,
        `${kind}: sweep 1 of 2: the event does not report the coin that left`,
      ]),
    })
  })

  test('is not activated with a token that blocks the treasury', async () => {
    const world = await createWorld()
    const { address: factory } = await deployFactory(world.client, 'ephemeral')
    const token = await world.token('BlockingToken')
    const block = { abi: testTokenAbi, functionName: 'setBlocked', args: [world.treasury, true] } as const
    const trial = { treasury: world.treasury, salt, token, kind: 'ephemeral', factory } as const
    await world.statusOf(await world.client.writeContract({ address: token, ...block }))
    expect(await selfTest(world.client, trial)).toContain('sweep 1 of 2: token stayed behind')
  })

  test('that cannot be reached neither passes nor fails', async () => {
    const world = await createWorld()
    const { address: factory } = await deployFactory(world.client, 'ephemeral')
    await world.node.stop()
    const testing = selfTest(world.client, { treasury: world.treasury, salt, kind: 'ephemeral', factory })
    const failure = (await testing.catch((error: unknown) => error)) as BaseError
    expect(failure.walk((cause) => cause instanceof HttpRequestError)).toBeInstanceOf(HttpRequestError)
  })
})

describe('the self-test detects', () => {
  const faults = [
    ['that code stays', 1, ['sweep 1 of 2: code stayed at the deposit address', /nothing could be swept/]],
    ['that the address cannot be swept again', 2, [/nothing could be swept from this address again/]],
    ['that coin is burned', 3, [/the treasury received 0 coin of 1/]],
    ['that coin goes elsewhere', 4, [/the treasury received 0 coin of 1/]],
    ['that an event reports too much', 5, [/the event does not report the coin that left/]],
    ['that an event is missing', 6, [/the event does not report the coin that left/]],
    ['that nothing moves', 7, [/coin stayed behind/, /received 0/]],
    ['no fault if there is none', 0, []],
  ] as const
  test.each(faults)('%s', async (_name, fault, expected) => {
    const world = await createWorld()
    const factory = await world.deploy(brokenFactoryAbi, testContractCode.brokenFactory, [fault])
    const found = await selfTest(world.client, { treasury: world.treasury, salt, kind: 'ephemeral', factory })
    expect(found).toEqual(expected.map((form) => expect.stringMatching(form) as string))
  })
})

describe('a swept address', () => {
  const payerAbi = parseAbi(['function pay(address to) payable returns (bool isPaid)'])

  /** An address that was paid and swept twice. */
  async function sweptWorld(kind: 'ephemeral' | 'lasting') {
    const world = await createWorld()
    const { address: factory } = await deployFactory(world.client, kind)
    expect(await selfTest(world.client, { treasury: world.treasury, salt, kind, factory })).toEqual([])
    const payer = await world.deploy([], testContractCode.stipendPayer)
    const deposit = await world.deposit(factory)
    const payPlainly = () => world.client.sendTransaction({ to: deposit, value: 5n, gas: 21_000n })
    const payByContract = async () => {
      const data = encodeFunctionData({ abi: payerAbi, args: [deposit] })
      return world.client.sendTransaction({ to: payer, value: 5n, data, gas: 100_000n })
    }
    const balance = () => world.client.getBalance({ address: deposit })
    return { ...world, payPlainly, payByContract, balance }
  }

  test('accepts 21,000-gas payments and payments with the stipend of 2,300 gas again', async () => {
    const world = await sweptWorld('ephemeral')
    expect(await world.statusOf(await world.payPlainly())).toBe('success')
    expect(await world.statusOf(await world.payByContract())).toBe('success')
    expect(await world.balance()).toBe(10n)
  })

  test('of a lasting deposit accepts the stipend, but no longer 21,000-gas payments', async () => {
    const world = await sweptWorld('lasting')
    expect(await world.statusOf(await world.payByContract())).toBe('success')
    await expect(world.payPlainly().then(world.statusOf)).resolves.toBe('reverted')
    expect(await world.balance()).toBe(5n)
  })
})

describe('deploying', () => {
  test('twice finds the existing factory', async () => {
    const { client } = await createWorld()
    const first = await deployFactory(client, 'ephemeral')
    const count = await client.getTransactionCount({ address: account.address })
    expect(await deployFactory(client, 'ephemeral')).toEqual(first)
    expect(await client.getTransactionCount({ address: account.address })).toBe(count)
  })

  test('without the common deployer gives another address, and reports that', async () => {
    const { client, node, treasury } = await createWorld()
    const anvil = createTestClient({ mode: 'anvil', chain, transport: http(node.url) })
    await anvil.setCode({ address: '0x4e59b44847b379578588920cA78FbF26c0B4956C', bytecode: '0x' })
    const factory = await deployFactory(client, 'ephemeral')
    expect(factory.isAtCommonAddress).toBe(false)
    expect(await selfTest(client, { treasury, salt, kind: 'ephemeral', factory: factory.address })).toEqual([])
  })

  test('by the command prints the factory, or exits with 1', async () => {
    const { node, client, treasury } = await createWorld()
    const run = (to: Address) =>
      promisify(execFile)(process.execPath, [join(import.meta.dirname, 'main.ts')], {
        env: { ...process.env, RPC_URL: node.url, DEPLOYER_KEY: anvilKey, TREASURY: to },
      })
    const { stdout } = await run(treasury)
    expect(JSON.parse(stdout)).toEqual({
      chainId: chain.id,
      kind: 'ephemeral',
      address: commonAddressOf('ephemeral'),
      isAtCommonAddress: true,
      faults: [],
    })
    const { address } = await deployFactory(client, 'lasting')
    await expect(run(address)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('must not be activated') as string,
    })
  })
})
