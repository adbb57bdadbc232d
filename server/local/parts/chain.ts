// Deposits on a local network: deploys a factory and a token and sets a treasury, as the operator does on a real network.
import { createWalletClient, erc20Abi, type Hex, http, maxUint256, padHex, publicActions, zeroAddress } from 'viem'
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { anvil as chain } from 'viem/chains'
import { chooseFactory } from '../../../contracts/deploy.ts'
import { deployVault } from '../../../contracts/deploy-vault.ts'
import type { Db } from '../../src/base/db.ts'
import { sweeperHashOf } from '../../src/chain/address.ts'
import { activateDeposits } from '../../src/chain/store.ts'
import {
  saveNetwork,
  saveToken,
  saveVault,
  setNetworkActive,
  setPaysAddresses,
} from '../../src/catalogue/currency/store.ts'
import { anvilKey, payoutKey, voucherKey } from './anvil.ts'
import { testTokenAbi, testTokenCode } from './test-token.gen.ts'

/** The second of anvil's accounts. */
const treasury = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
// The first contract of an account always has the same address, so that a restart finds it.
const firstContract = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const supply = 10n ** 24n

function connectWallet(url: string, key: Hex = anvilKey) {
  const account = privateKeyToAccount(key)
  return createWalletClient({ account, chain, transport: http(url), pollingInterval: 50 }).extend(publicActions)
}

const vaultCurrencies = { ETH: zeroAddress, USDT: firstContract } as const

/** A vault for vouchers in coin, and one for vouchers in the token. */
async function prepareVaults(db: Db, url: string): Promise<void> {
  const client = connectWallet(url)
  const operator = privateKeyToAddress(voucherKey)
  const voucherClient = connectWallet(url, voucherKey)
  for (const currency of ['ETH', 'USDT'] as const) {
    const asset = vaultCurrencies[currency]
    const { address: vault } = await deployVault(client, { asset, owner: client.account.address, operator })
    await saveVault(db, { network: 'LOCAL', currency, vault })
    if (asset === zeroAddress) continue
    const approve = { address: asset, abi: erc20Abi, functionName: 'approve', args: [vault, maxUint256] } as const
    const allowance = { address: asset, abi: erc20Abi, functionName: 'allowance', args: [operator, vault] } as const
    if ((await client.readContract(allowance)) > 0n) continue
    await client.waitForTransactionReceipt({ hash: await voucherClient.writeContract(approve) })
  }
}

/** The accounts of anvil have coin. They get tokens to pay with. */
async function prepareKeys(url: string): Promise<void> {
  const client = connectWallet(url)
  for (const key of [payoutKey, voucherKey] as const) {
    const holder = privateKeyToAddress(key)
    const token = { address: firstContract, abi: erc20Abi } as const
    if ((await client.readContract({ ...token, functionName: 'balanceOf', args: [holder] })) > 0n) continue
    const hash = await client.writeContract({ ...token, functionName: 'transfer', args: [holder, supply / 100n] })
    await client.waitForTransactionReceipt({ hash })
  }
}

/** A block a second from now on. To prepare the network at that speed would take half a minute. */
export async function mineEverySecond(client: ReturnType<typeof connectWallet>): Promise<void> {
  await client.request({ method: 'evm_setIntervalMining' as never, params: [1] as never })
}

export type PreparedChain = {
  readonly client: ReturnType<typeof connectWallet>
  readonly treasury: Hex
  readonly factory: Hex
  readonly token: Hex
}

/** `url` is the node's, which has another port at each start. */
export async function prepareChain(db: Db, url: string, explorerUrl: string = url): Promise<PreparedChain> {
  const client = connectWallet(url)
  if ((await client.getCode({ address: firstContract })) === undefined) {
    // Six decimals, as USDT has on most networks.
    const deploy = { abi: testTokenAbi, bytecode: testTokenCode.TestToken, args: ['Tether USD', 'USDT', 6] } as const
    const deployed = await client.deployContract(deploy)
    await client.waitForTransactionReceipt({ hash: deployed })
    const call = { address: firstContract, abi: testTokenAbi, functionName: 'mint' } as const
    const minted = await client.writeContract({ ...call, args: [client.account.address, supply] })
    await client.waitForTransactionReceipt({ hash: minted })
  }
  const trial = { treasury, token: firstContract, salt: padHex('0x01', { size: 32 }) } as const
  const { factory, faults } = await chooseFactory(client, trial)
  if (factory === undefined) throw new Error(`No deposit factory works on this network: ${faults.join('; ')}`)
  const sweeperHash = sweeperHashOf(factory.kind, treasury)
  const names = { abbreviation: 'LOCAL', name: 'Local network', chainId: BigInt(chain.id) }
  await saveNetwork(db, { ...names, explorerUrl, rpcUrl: url })
  await setNetworkActive(db, 'LOCAL', true)
  await activateDeposits(db, { abbreviation: 'LOCAL', factory: factory.address, treasury, sweeperHash })
  await saveToken(db, { network: 'LOCAL', currency: 'USDT', address: firstContract, decimals: 6 })
  await prepareVaults(db, url)
  await prepareKeys(url)
  await setPaysAddresses(db, 'LOCAL', true)
  return { client, treasury: treasury, factory: factory.address, token: firstContract }
}
