// Deploys a deposit factory to a network, and tests whether deposits work there.
import { type Address, erc20Abi, type Hash, type Hex, isAddress, parseEventLogs, zeroAddress } from 'viem'
import { depositFactoryAbi as abi, depositFactoryCode } from '../server/src/chain/deposit-factory.gen.ts'
import {
  balanceOf,
  create2AddressOf,
  deployOnce,
  type Deployed,
  type DeployClient,
  hasCode,
  isSame,
  mined,
  nameOf,
  refusal,
} from './network.ts'

/** `ephemeral` leaves no code at a deposit address. `lasting` is for networks where that does not work. */
export type FactoryKind = keyof typeof depositFactoryCode
export type FactoryClient = DeployClient

type Factory = Deployed & { kind: FactoryKind }

export type Trial = {
  factory: Address
  kind: FactoryKind
  /** Receives the 3 units that the trial moves. If it is a contract, it must accept ether. */
  treasury: Address
  /** A token of which the account owns at least 3 units. */
  token?: Address | undefined
  salt: Hex
}

export function commonAddressOf(kind: FactoryKind): Address {
  return create2AddressOf(depositFactoryCode[kind])
}

/** Deploys once, and returns an existing factory. */
export async function deployFactory(client: FactoryClient, kind: FactoryKind): Promise<Factory> {
  return { kind, ...(await deployOnce(client, depositFactoryCode[kind])) }
}

/**
 * Pays a deposit address, sweeps it, pays again and sweeps again, with ether and with a token if one is given. Returns the
 * faults: a network may be activated only if there are none. Throws if the network cannot be reached.
 */
export async function selfTest(client: FactoryClient, trial: Trial): Promise<string[]> {
  const read = { address: trial.factory, abi, functionName: 'addressOf', args: [trial.treasury, trial.salt] } as const
  const deposit = await client.readContract(read).catch(refusal)
  if (!isAddress(deposit)) return [deposit]
  // Different amounts, so that the first sweep is not mistaken for the second.
  for (const amount of [1n, 2n]) {
    const faults = await payAndSweep(client, trial, deposit, amount)
    if (faults.length > 0) return faults.map((fault) => `sweep ${amount} of 2: ${fault}`)
  }
  return []
}

/** The first factory that passes its test, and the faults of those before it. Without a factory, do not activate the network. */
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
  const logged = parseEventLogs({ abi, logs: receipt.logs.filter((log) => isSame(log.address, factory)) })
  for (const asset of assets) {
    const left = await balanceOf(client, asset, deposit, receipt.blockNumber)
    if (left !== 0n) faults.push(`${nameOf(asset)} stayed behind`)
    const before = await balanceOf(client, asset, treasury, receipt.blockNumber - 1n)
    const after = await balanceOf(client, asset, treasury, receipt.blockNumber)
    if (after - before !== amount) faults.push(`the treasury received ${after - before} ${nameOf(asset)} of ${amount}`)
    const events = logged.filter((event) => isSame(event.args.token, asset))
    const isReported = events[0]?.eventName === 'Swept' && events[0].args.amount === amount && events.length === 1
    if (!isReported) faults.push(`the event does not report the ${nameOf(asset)} that left`)
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
