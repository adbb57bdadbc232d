// What the operator must have prepared before vouchers are put into a vault.
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  hashTypedData,
  type Hex,
  isAddressEqual,
  pad,
  zeroAddress,
} from 'viem'
import { chainError } from '../server/src/chain/errors.ts'
import type { Rpc } from '../server/src/chain/rpc.ts'
import { voucherVaultAbi } from '../server/src/chain/voucher-vault.gen.ts'
import { type Redemption, redemptionDomainOf, redemptionTypes } from '../server/src/vouchers/code/claim.ts'

export type VaultPlan = {
  readonly chainId: number
  readonly vault: Address
  /** The token in the catalogue, or zero for the coin of the network. */
  readonly asset: Address
  /** The address of VOUCHER_KEY. */
  readonly operator: Address
}

// Some tokens reduce even an unlimited allowance, and some store at most 96 bits of it.
const allowanceMin = 2n ** 95n

/** Why the vault cannot hold vouchers. Empty if everything is prepared, apart from the allowance of a token. */
export async function findVaultFaults(rpc: Rpc, plan: VaultPlan): Promise<string[]> {
  const { chainId, vault, asset, operator } = plan
  const found = await agreed(rpc, 'eth_chainId', [])
  if (Number(found) !== chainId) return [`CHAIN_NODES has a node of chain ${Number(found)}, not of chain ${chainId}`]
  const code = await agreed(rpc, 'eth_getCode', [vault, 'latest'])
  if (code === '0x') return [`there is no contract at ${vault} on chain ${chainId}`]
  if (!(await isVault(rpc, plan))) return [`the contract at ${vault} is not a voucher vault of this version`]
  const held = await read(rpc, vault, voucherVaultAbi, 'asset', [])
  const isOperator = await read(rpc, vault, voucherVaultAbi, 'isOperator', [operator])
  const isPaused = await read(rpc, vault, voucherVaultAbi, 'isPaused', [])
  return [
    ...(isAddressEqual(held, asset) ? [] : [`the vault holds ${nameOf(held)}, and the catalogue has ${nameOf(asset)}`]),
    ...(isOperator ? [] : [`the address of VOUCHER_KEY, ${operator}, is not an operator of the vault`]),
    ...(isPaused ? ['the vault is paused'] : []),
  ]
}

/** What the vault may take from the voucher key. */
export async function readAllowance(rpc: Rpc, { vault, asset, operator }: VaultPlan): Promise<bigint> {
  return asset === zeroAddress ? allowanceMin : read(rpc, asset, erc20Abi, 'allowance', [operator, vault])
}

export function isEnough(allowance: bigint): boolean {
  return allowance >= allowanceMin
}

/** The digest depends on the vault's name, version, chain and address, and on every field that a claim key signs. */
async function isVault(rpc: Rpc, { chainId, vault, operator }: VaultPlan): Promise<boolean> {
  const [codeHash, ref] = [pad('0x01'), pad('0x02')]
  const amounts = { amount: 3n, fee: 4n, nonce: 5, deadline: 6 }
  const message: Redemption = { codeHash, recipient: operator, ...amounts, feeRecipient: vault, ref }
  const domain = redemptionDomainOf({ chainId, vault })
  const expected = hashTypedData({ domain, types: redemptionTypes, primaryType: 'Redemption', message })
  // The nodes have just answered, so a failure comes from the contract.
  const digest = await read(rpc, vault, voucherVaultAbi, 'digestOf', [message]).catch(() => undefined)
  return digest === expected
}

async function read<
  const abi extends Abi,
  name extends ContractFunctionName<abi, 'view' | 'pure'>,
  const args extends ContractFunctionArgs<abi, 'view' | 'pure', name>,
>(
  rpc: Rpc,
  to: Address,
  abi: abi,
  functionName: name,
  args: args,
): Promise<ContractFunctionReturnType<abi, 'view' | 'pure', name, args>> {
  const call = { abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]
  const data = await agreed(rpc, 'eth_call', [{ to, data: encodeFunctionData(call) }, 'latest'])
  const result = { abi, functionName, args, data } as Parameters<typeof decodeFunctionResult>[0]
  return decodeFunctionResult(result) as ContractFunctionReturnType<abi, 'view' | 'pure', name, args>
}

/** The same result from two nodes, or from the only one. */
async function agreed(rpc: Rpc, method: string, params: readonly unknown[]): Promise<Hex> {
  const [first = '0x', ...others] = await rpc.callTwo<Hex>(method, params)
  if (others.some((other) => other !== first)) throw chainError('CHAIN_DISAGREES', { method })
  return first
}

function nameOf(asset: Address): string {
  return isAddressEqual(asset, zeroAddress) ? 'the coin of the network' : `the token ${asset}`
}
