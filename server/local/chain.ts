// Deposits on a local network: the factory, a treasury and a token, as `scrip` does it for a real one.
import { createWalletClient, type Hex, http, padHex, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anvil as chain } from 'viem/chains'
import { chooseFactory } from '../../contracts/deploy.ts'
import type { Db } from '../src/base/db.ts'
import { sweeperHashOf } from '../src/chain/address.ts'
import { activateDeposits } from '../src/chain/store.ts'
import { saveToken, setNetworkActive } from '../src/currency/store.ts'
import { anvilKey } from './anvil.ts'
import { testTokenAbi, testTokenCode } from './test-token.gen.ts'

/** The second of anvil's accounts. */
const treasury = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
// The first contract that the account makes is always at the same address, so that a restart finds it.
const firstContract = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const supply = 10n ** 24n

export async function prepareChain(db: Db, url: string) {
  const account = privateKeyToAccount(anvilKey)
  const client = createWalletClient({ account, chain, transport: http(url), pollingInterval: 50 }).extend(publicActions)
  if ((await client.getCode({ address: firstContract })) === undefined) {
    // Six decimals, as the real one has on most networks.
    const deploy = { abi: testTokenAbi, bytecode: testTokenCode.TestToken, args: ['Tether USD', 'USDT', 6] } as const
    const deployed = await client.deployContract(deploy)
    await client.waitForTransactionReceipt({ hash: deployed })
    const call = { address: firstContract, abi: testTokenAbi, functionName: 'mint' } as const
    const minted = await client.writeContract({ ...call, args: [account.address, supply] })
    await client.waitForTransactionReceipt({ hash: minted })
  }
  const trial = { treasury, token: firstContract, salt: padHex('0x01', { size: 32 }) } as const
  const { factory, faults } = await chooseFactory(client, trial)
  if (factory === undefined) throw new Error(`Deposits cannot be trusted to this network: ${faults.join('; ')}`)
  const sweeperHash = sweeperHashOf(factory.kind, treasury)
  await setNetworkActive(db, 'LOCAL', true)
  await activateDeposits(db, { abbreviation: 'LOCAL', factory: factory.address, treasury, sweeperHash })
  await saveToken(db, { network: 'LOCAL', currency: 'USDT', address: firstContract, decimals: 6 })
  return { client, treasury: treasury as Hex, factory: factory.address, token: firstContract as Hex }
}
