// Brings a deposit factory to a network, and finds out whether deposits can be trusted to it there.
import {
  type Account,
  type Address,
  BaseError,
  type Chain,
  type Client,
  concat,
  erc20Abi,
  getContractAddress,
  type Hash,
  type Hex,
  HttpRequestError,
  isAddress,
  padHex,
  parseEventLogs,
  type PublicActions,
  type TransactionReceipt,
  type Transport,
  TimeoutError,
  type WalletActions,
  zeroAddress,
} from 'viem'
import { depositFactoryAbi as abi, depositFactoryCode } from '../server/src/chain/deposit-factory.gen.ts'

/** `ephemeral` leaves nothing at a deposit address; `lasting` is for networks where that does not work. */
export type FactoryKind = keyof typeof depositFactoryCode
export type FactoryClient = Client<Transport, Chain, Account> &
  PublicActions<Transport, Chain, Account> &
  WalletActions<Chain, Account>

type Factory = {
  kind: FactoryKind
  address: Address
  /** The same address as on all other networks, so that a payment on the wrong one can be recovered. */
  isAtCommonAddress: boolean
}

export type Trial = {
  factory: Address
  kind: FactoryKind
  /** Receives the 3 units that the trial moves. A contract must accept coin. */
  treasury: Address
  /** Of which the account owns at least 3 units. */
  token?: Address | undefined
  salt: Hex
}

/**
 * At this address many networks have a contract that deploys what it is given, without a key: the address of the result
 * depends on the code and this salt alone.
 */
const commonDeployer = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const commonSalt = padHex('0x5c819', { size: 32 })

export function commonAddressOf(kind: FactoryKind): Address {
  const bytecode = depositFactoryCode[kind]
  return getContractAddress({ opcode: 'CREATE2', from: commonDeployer, salt: commonSalt, bytecode })
}

/** Deploys once: a repeat finds what is there. */
export async function deployFactory(client: FactoryClient, kind: FactoryKind): Promise<Factory> {
  const bytecode = depositFactoryCode[kind]
  if (!(await hasCode(client, commonDeployer))) {
    const { contractAddress } = await mined(client, await client.deployContract({ abi, bytecode }))
    if (contractAddress == null || !(await hasCode(client, contractAddress))) throw notDeployed()
    return { kind, address: contractAddress, isAtCommonAddress: false }
  }
  const address = commonAddressOf(kind)
  if (!(await hasCode(client, address))) {
    const data = concat([commonSalt, bytecode])
    await mined(client, await client.sendTransaction({ to: commonDeployer, data }))
    if (!(await hasCode(client, address))) throw notDeployed()
  }
  return { kind, address, isAtCommonAddress: true }
}

/**
 * Pays a deposit address, sweeps it, pays again and sweeps again, with coin and with a token if one is given. Returns what went
 * wrong: a network may be activated only if that is nothing. Throws when the network cannot be asked.
 */
export async function selfTest(client: FactoryClient, trial: Trial): Promise<string[]> {
  const read = { address: trial.factory, abi, functionName: 'addressOf', args: [trial.treasury, trial.salt] } as const
  const deposit = await client.readContract(read).catch(refusal)
  if (!isAddress(deposit)) return [deposit]
  // Another amount each time, so that the first sweep is not taken for the second.
  for (const amount of [1n, 2n]) {
    const faults = await payAndSweep(client, trial, deposit, amount)
    if (faults.length > 0) return faults.map((fault) => `sweep ${amount} of 2: ${fault}`)
  }
  return []
}

/** The first factory that passes its test, and why those before it did not. Without a factory the network must not be activated. */
export async function chooseFactory(
  client: FactoryClient,
  trial: Omit<Trial, 'factory' | 'kind'>,
): Promise<{ factory?: Factory; faults: string[] }> {
  const all: string[] = []
  for (const kind of ['ephemeral', 'lasting'] as const) {
    const factory = await deployFactory(client, kind).catch(refusal)
    const faults =
      typeof factory === 'string' ? [factory] : await selfTest(client, { ...trial, factory: factory.address, kind })
    if (typeof factory !== 'string' && faults.length === 0) return { factory, faults: all }
    all.push(...faults.map((fault) => `${kind}: ${fault}`))
  }
  return { faults: all }
}

async function payAndSweep(client: FactoryClient, trial: Trial, deposit: Address, amount: bigint): Promise<string[]> {
  const { factory, kind, treasury, token, salt } = trial
  const assets = token === undefined ? [zeroAddress] : [zeroAddress, token]
  for (const asset of assets) {
    const { status } = await mined(client, await pay(client, asset, deposit, amount))
    if (status !== 'success') return [`the deposit address refused ${nameOf(asset)}`]
  }
  const call = { address: factory, abi, functionName: 'sweep' } as const
  const args = [treasury, [salt], token === undefined ? [] : [token]] as const
  const receipt = await mined(client, client.writeContract({ ...call, args })).catch(refusal)
  if (typeof receipt === 'string') return [receipt]
  if (receipt.status !== 'success') return ['the sweep reverted']

  const faults: string[] = []
  const told = parseEventLogs({ abi, logs: receipt.logs.filter((log) => isSame(log.address, factory)) })
  for (const asset of assets) {
    const left = await balanceOf(client, asset, deposit, receipt.blockNumber)
    if (left !== 0n) faults.push(`${nameOf(asset)} stayed behind`)
    const before = await balanceOf(client, asset, treasury, receipt.blockNumber - 1n)
    const after = await balanceOf(client, asset, treasury, receipt.blockNumber)
    if (after - before !== amount) faults.push(`the treasury received ${after - before} ${nameOf(asset)} of ${amount}`)
    const events = told.filter((event) => isSame(event.args.token, asset))
    const isTold = events[0]?.eventName === 'Swept' && events[0].args.amount === amount && events.length === 1
    if (!isTold) faults.push(`the event does not tell the ${nameOf(asset)} that left`)
  }
  if (kind === 'lasting') return faults
  if (await hasCode(client, deposit)) faults.push('code stayed at the deposit address')
  if ((await client.getTransactionCount({ address: deposit })) !== 0)
    faults.push('the network did not remove the sweeper: nothing could be swept from this address again')
  return faults
}

function pay(client: FactoryClient, asset: Address, to: Address, amount: bigint): Promise<Hash> {
  if (asset === zeroAddress) return client.sendTransaction({ to, value: amount })
  return client.writeContract({ address: asset, abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
}

function balanceOf(client: FactoryClient, asset: Address, holder: Address, blockNumber: bigint): Promise<bigint> {
  if (asset === zeroAddress) return client.getBalance({ address: holder, blockNumber })
  const read = { abi: erc20Abi, functionName: 'balanceOf', args: [holder] } as const
  return client.readContract({ address: asset, ...read, blockNumber })
}

async function mined(client: FactoryClient, hash: Hash | Promise<Hash>): Promise<TransactionReceipt> {
  return client.waitForTransactionReceipt({ hash: await hash })
}

async function hasCode(client: FactoryClient, address: Address): Promise<boolean> {
  return (await client.getCode({ address })) !== undefined
}

/** What a network that could be asked said against a transaction. */
function refusal(error: unknown): string {
  if (!(error instanceof BaseError)) throw error
  if (error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !== null) throw error
  return `the network refused: ${error.shortMessage.replaceAll(/\s+/g, ' ')}`
}

function notDeployed(): BaseError {
  return new BaseError('There is no code where the factory was deployed.')
}

function isSame(one: Address, other: Address): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function nameOf(asset: Address): string {
  return asset === zeroAddress ? 'coin' : 'token'
}
