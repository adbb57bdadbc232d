import type { Command } from 'commander'
import { encodeFunctionData, erc20Abi, getAddress, maxUint256 } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { inTransaction } from '../server/src/base/db.ts'
import { createRpc, type Rpc } from '../server/src/chain/rpc.ts'
import { queueSend } from '../server/src/chain/send-store.ts'
import { findChain } from '../server/src/chain/store.ts'
import { refuseOneNode } from '../server/src/chain/trust.ts'
import { listNetworks, saveVault } from '../server/src/catalogue/currency/store.ts'
import { countInOtherVaults } from '../server/src/vouchers/onchain/voucher-store.ts'
import { readWalletAddress } from '../server/src/vouchers/voucher/wallet-address.ts'
import { findVaultFaults, isEnough, readAllowance, type VaultPlan } from './check-vault.ts'
import { print, run, type Tools } from './tools.ts'

type Prepared = { readonly plan: VaultPlan; readonly rpc: Rpc; readonly networkId: string }

/** Vaults for onchain vouchers. */
export function addVaultCommands(network: Command): void {
  network
    .command('vault <network> <currency> <address>')
    .description('puts onchain vouchers in a currency into this vault, after checking it on the network')
    .action((on: string, code: string, address: string) => run((tools) => setVault(tools, on, code, address)))
  network
    .command('approve <network> <currency> <vault>')
    .description('has the worker allow a vault to take a token from the voucher key')
    .action((on: string, code: string, address: string) => run((tools) => approveVault(tools, on, code, address)))
}

async function setVault(tools: Tools, on: string, code: string, address: string): Promise<void> {
  const { plan, rpc, networkId } = await prepare(tools, on, code, address)
  const faults = await findVaultFaults(rpc, plan)
  if (faults.length === 0 && !isEnough(await readAllowance(rpc, plan)))
    faults.push(`the vault may not take ${code} from ${plan.operator}: run network approve ${on} ${code} ${plan.vault}`)
  refuse(faults)
  const waiting = await countInOtherVaults(tools.pool, networkId, plan.asset.toLowerCase(), plan.vault.toLowerCase())
  if (waiting > 0)
    throw new Error(
      `Another vault of ${on} holds ${code} of vouchers (${waiting}). Set this one when they are used or closed.`,
    )
  await saveVault(tools.pool, { network: on, currency: code, vault: plan.vault })
  print(`Onchain vouchers in ${code} on ${on} are in ${plan.vault}.`)
}

async function approveVault(tools: Tools, on: string, code: string, address: string): Promise<void> {
  const { plan, rpc, networkId } = await prepare(tools, on, code, address)
  refuse(await findVaultFaults(rpc, plan))
  const allowance = await readAllowance(rpc, plan)
  if (isEnough(allowance)) {
    print('The vault needs no further allowance.')
    return
  }
  const { pool, newId, clock } = tools
  await inTransaction(pool, async (tx) => {
    // USDT on Ethereum refuses to replace an allowance by another.
    for (const amount of allowance > 0n ? [0n, maxUint256] : [maxUint256]) {
      const id = newId()
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [plan.vault, amount] })
      const send = { id, networkId, lane: 'voucher', reference: `approve/${id}`, to: plan.asset, data } as const
      await queueSend(tx, { ...send, value: 0n, askedAt: clock(), from: plan.operator })
    }
  })
  print(`The worker sends the approval. Run network vault ${on} ${code} ${plan.vault} in a minute.`)
}

async function prepare(tools: Tools, on: string, code: string, address: string): Promise<Prepared> {
  const { pool, config, clock } = tools
  const vault = getAddress(readWalletAddress(address))
  const chain = await findChain(pool, on)
  if (chain === undefined) throw new Error(`There is no network ${on} that accepts deposits.`)
  const token = (await listNetworks(pool))
    .find(({ id }) => id === chain.id)
    ?.tokens.find(({ currency }) => currency.code === code)
  if (token === undefined) throw new Error(`${code} is not on ${on}. Add it with network token.`)
  const nodes = config.chainNodes[chain.abbreviation] ?? []
  if (nodes.length === 0) throw new Error(`Set the nodes of ${on} in CHAIN_NODES.`)
  refuseOneNode(chain, config.chainNodes)
  const [key] = config.voucherKeys
  if (key === undefined) throw new Error('Set VOUCHER_KEY: it creates vouchers in the vault.')
  const asset = getAddress(token.address.toLowerCase())
  const plan = { chainId: Number(chain.chainId), vault, asset, operator: privateKeyToAddress(key) }
  return { plan, rpc: createRpc(nodes, clock), networkId: chain.id }
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0)
    throw new Error(`The vault cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
}
