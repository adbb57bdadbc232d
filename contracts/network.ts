// What every deployment needs of a network: contracts at the same address everywhere, balances, and reasons of refusals.
import {
  type Account,
  type Address,
  BaseError,
  type Chain,
  type Client,
  concat,
  ContractFunctionRevertedError,
  erc20Abi,
  getContractAddress,
  type Hash,
  type Hex,
  HttpRequestError,
  padHex,
  type PublicActions,
  type TransactionReceipt,
  type Transport,
  TimeoutError,
  type WalletActions,
  zeroAddress,
} from 'viem'

export type DeployClient = Client<Transport, Chain, Account> &
  PublicActions<Transport, Chain, Account> &
  WalletActions<Chain, Account>

export type Deployed = {
  address: Address
  /** The same address as on all other networks, so that a payment on the wrong network can be recovered. */
  isAtCommonAddress: boolean
}

/**
 * On many networks, this address has a contract that deploys any code without a key. The address of the result depends only
 * on the code and this salt.
 */
const commonDeployer = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const commonSalt = padHex('0x5c819', { size: 32 })

/** Where the common deployer creates a contract. `bytecode` includes the arguments of the constructor. */
export function create2AddressOf(bytecode: Hex): Address {
  return getContractAddress({ opcode: 'CREATE2', from: commonDeployer, salt: commonSalt, bytecode })
}

/** Deploys a contract, or returns the existing one. A network without the common deployer gets a new one each time. */
export async function deployOnce(client: DeployClient, bytecode: Hex): Promise<Deployed> {
  if (!(await hasCode(client, commonDeployer))) {
    const { contractAddress } = await mined(client, await client.deployContract({ abi: [], bytecode }))
    if (contractAddress == null || !(await hasCode(client, contractAddress))) throw notDeployed()
    return { address: contractAddress, isAtCommonAddress: false }
  }
  const address = create2AddressOf(bytecode)
  if (!(await hasCode(client, address))) {
    const data = concat([commonSalt, bytecode])
    await mined(client, await client.sendTransaction({ to: commonDeployer, data }))
    if (!(await hasCode(client, address))) throw notDeployed()
  }
  return { address, isAtCommonAddress: true }
}

export function balanceOf(client: DeployClient, asset: Address, holder: Address, blockNumber: bigint): Promise<bigint> {
  if (asset === zeroAddress) return client.getBalance({ address: holder, blockNumber })
  const read = { abi: erc20Abi, functionName: 'balanceOf', args: [holder] } as const
  return client.readContract({ address: asset, ...read, blockNumber })
}

export async function mined(client: DeployClient, hash: Hash | Promise<Hash>): Promise<TransactionReceipt> {
  return client.waitForTransactionReceipt({ hash: await hash })
}

export async function hasCode(client: DeployClient, address: Address): Promise<boolean> {
  return (await client.getCode({ address })) !== undefined
}

/** Why the network refused a transaction. Rethrows if the network could not be reached. */
export function refusal(error: unknown): string {
  if (!(error instanceof BaseError)) throw error
  if (error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !== null) throw error
  const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
  const name = revert instanceof ContractFunctionRevertedError ? revert.data?.errorName : undefined
  return `the network refused: ${error.shortMessage.replaceAll(/\s+/g, ' ')}${name === undefined ? '' : ` ${name}`}`
}

export function isSame(one: Address, other: Address): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

export function nameOf(asset: Address): string {
  return asset === zeroAddress ? 'coin' : 'token'
}

function notDeployed(): BaseError {
  return new BaseError('There is no code where the contract was deployed.')
}
