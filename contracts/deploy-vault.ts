// Deploys a voucher vault to a network, and tests whether vouchers work there.
import {
  type Address,
  concat,
  encodeAbiParameters,
  erc20Abi,
  type Hex,
  keccak256,
  parseEventLogs,
  stringToHex,
  type TransactionReceipt,
  zeroAddress,
} from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { codeHashOf, type Redemption, signRedemption } from '../server/src/vouchers/code/claim.ts'
import { voucherVaultAbi as abi, voucherVaultCode } from '../server/src/chain/voucher-vault.gen.ts'
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

export type VaultTerms = {
  /** The token, or zero for the coin of the network. */
  asset: Address
  /** May pause the vault, skim it and appoint operators. */
  owner: Address
  /** The first operator, which relays redemptions of vouchers with a PIN. Zero for none. */
  operator: Address
}

export type VaultTrial = {
  vault: Address
  /** What the vault holds. The account pays with it, and needs coin for gas. */
  asset: Address
  /** Receives a third of the amount. Not the account itself, which receives the rest back. */
  recipient: Address
  /** In the smallest unit. By default 30,000, of which a token that keeps one unit of 10,000 cannot hide it by rounding. */
  amount?: bigint | undefined
  /** A private key that no other trial of this account has used. */
  claimKey: Hex
}

const defaultAmount = 30_000n

type Running = Omit<VaultTrial, 'amount'> & { value: bigint; redeemed: bigint }

/** The address of a vault with these terms, on every network that has the common deployer. */
export function vaultAddressOf(terms: VaultTerms): Address {
  return create2AddressOf(initCodeOf(terms))
}

/** Deploys once, and returns an existing vault with the same terms. */
export function deployVault(client: DeployClient, terms: VaultTerms): Promise<Deployed> {
  return deployOnce(client, initCodeOf(terms))
}

/**
 * Creates a voucher, redeems a part of it and closes it. Returns the faults: vouchers of this currency may be activated on
 * the network only if there are none. Throws if the network cannot be reached.
 */
export async function vaultSelfTest(
  client: DeployClient,
  { amount = defaultAmount, ...given }: VaultTrial,
): Promise<string[]> {
  const trial = { ...given, value: amount, redeemed: amount / 3n }
  if (!(await hasCode(client, trial.vault))) return ['there is no contract at the address of the vault']
  const steps = { create: testCreation, redeem: testRedemption, refuse: testRefusals, close: testClosing }
  for (const [name, step] of Object.entries(steps)) {
    const faults = await step(client, trial).catch((error: unknown) => [refusal(error)])
    if (faults.length > 0) return faults.map((fault) => `${name}: ${fault}`)
  }
  return []
}

async function testCreation(client: DeployClient, trial: Running): Promise<string[]> {
  const { vault, asset, claimKey, value } = trial
  if (asset !== zeroAddress) await approve(client, trial)
  const { timestamp } = await client.getBlock()
  const terms = [privateKeyToAddress(claimKey), value, Number(timestamp) + 86_400, false, true] as const
  const call = { address: vault, abi, functionName: 'createVoucher', args: terms } as const
  const receipt = await mined(client, client.writeContract({ ...call, value: asset === zeroAddress ? value : 0n }))
  if (receipt.status !== 'success') return ['the transaction reverted']
  const codeHash = hashOf(client, trial)
  const [event] = eventsOf(receipt, vault)
  const isReported =
    event?.eventName === 'VoucherCreated' && event.args.codeHash === codeHash && event.args.amount === value
  return [
    ...(await expectMoved(client, trial, receipt, { who: 'the vault', holder: vault, amount: value })),
    ...(isReported ? [] : ['the event does not report the voucher']),
    ...(await expectBalance(client, trial, value)),
  ]
}

async function testRedemption(client: DeployClient, trial: Running): Promise<string[]> {
  const { vault, recipient, value, redeemed } = trial
  const redemption = await redemptionOf(client, trial)
  const receipt = await mined(client, redeem(client, trial, redemption))
  if (receipt.status !== 'success') return ['the transaction reverted']
  const [event] = eventsOf(receipt, vault)
  const isReported =
    event?.eventName === 'VoucherRedeemed' &&
    event.args.codeHash === redemption.codeHash &&
    isSame(event.args.recipient, recipient) &&
    event.args.ref === redemption.ref &&
    event.args.amount === redeemed &&
    event.args.balance === value - redeemed
  return [
    ...(await expectMoved(client, trial, receipt, { who: 'the recipient', holder: recipient, amount: redeemed })),
    ...(await expectMoved(client, trial, receipt, { who: 'the vault', holder: vault, amount: -redeemed })),
    ...(isReported ? [] : ['the event does not report the redemption']),
    ...(await expectBalance(client, trial, value - redeemed)),
  ]
}

/** What the vault must refuse. These transactions are simulated only. */
async function testRefusals(client: DeployClient, trial: Running): Promise<string[]> {
  const next = await redemptionOf(client, trial)
  const signature = await sign(trial, client, next)
  const executed = { ...next, nonce: next.nonce - 1 }
  const attempts = [
    ['an executed redemption', executed, await sign(trial, client, executed)],
    ['another recipient than signed', { ...next, recipient: client.account.address }, signature],
    ['a higher fee than signed', { ...next, fee: 1n, feeRecipient: client.account.address }, signature],
    ['a redemption after its deadline', ...(await signLate(client, trial, next))],
  ] as const
  const faults: string[] = []
  for (const [name, redemption, signed] of attempts) {
    const call = { address: trial.vault, abi, functionName: 'redeem', args: [redemption, signed] } as const
    const refused = await client.simulateContract(call).then(() => undefined, refusal)
    if (refused === undefined) faults.push(`the vault accepts ${name}`)
  }
  return faults
}

async function testClosing(client: DeployClient, trial: Running): Promise<string[]> {
  const { vault, asset, value, redeemed } = trial
  const codeHash = hashOf(client, trial)
  const call = { address: vault, abi, functionName: 'close', args: [codeHash] } as const
  const receipt = await mined(client, client.writeContract(call))
  if (receipt.status !== 'success') return ['the transaction reverted']
  const [event] = eventsOf(receipt, vault)
  const rest = value - redeemed
  const isReported =
    event?.eventName === 'VoucherClosed' && event.args.codeHash === codeHash && event.args.amount === rest
  const creator = { who: 'the creator', holder: client.account.address, amount: rest }
  return [
    ...(await expectMoved(client, trial, receipt, { who: 'the vault', holder: vault, amount: -rest })),
    // The account also pays for gas in coin, and on rollups the receipt does not show all of it.
    ...(asset === zeroAddress ? [] : await expectMoved(client, trial, receipt, creator)),
    ...(isReported ? [] : ['the event does not report the return']),
    ...(await expectBalance(client, trial, 0n)),
  ]
}

async function approve(client: DeployClient, { asset, vault, value }: Running): Promise<void> {
  const owned = {
    address: asset,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [client.account.address, vault],
  } as const
  // USDT on Ethereum refuses to replace an allowance, which an earlier trial may have left.
  if ((await client.readContract(owned)) >= value) return
  const call = { address: asset, abi: erc20Abi, functionName: 'approve', args: [vault, value] } as const
  await mined(client, client.writeContract(call))
}

function initCodeOf({ asset, owner, operator }: VaultTerms): Hex {
  const addresses = [{ type: 'address' }, { type: 'address' }, { type: 'address' }] as const
  return concat([voucherVaultCode, encodeAbiParameters(addresses, [asset, owner, operator])])
}

function hashOf(client: DeployClient, { claimKey }: Running): Hex {
  return codeHashOf(client.account.address, privateKeyToAddress(claimKey))
}

async function redemptionOf(client: DeployClient, trial: Running): Promise<Redemption> {
  const codeHash = hashOf(client, trial)
  const voucher = await readVoucher(client, trial)
  const { timestamp } = await client.getBlock()
  return {
    codeHash,
    recipient: trial.recipient,
    amount: trial.redeemed,
    fee: 0n,
    feeRecipient: zeroAddress,
    nonce: voucher.nonce,
    deadline: Number(timestamp) + 3_600,
    ref: keccak256(stringToHex('self-test')),
  }
}

async function signLate(client: DeployClient, trial: Running, next: Redemption): Promise<[Redemption, Hex]> {
  const late = { ...next, deadline: next.deadline - 7_200 }
  return [late, await sign(trial, client, late)]
}

function sign({ claimKey, vault }: Running, client: DeployClient, redemption: Redemption): Promise<Hex> {
  return signRedemption(claimKey, { chainId: client.chain.id, vault }, redemption)
}

async function redeem(client: DeployClient, trial: Running, redemption: Redemption): Promise<Hex> {
  const args = [redemption, await sign(trial, client, redemption)] as const
  return client.writeContract({ address: trial.vault, abi, functionName: 'redeem', args })
}

function readVoucher(client: DeployClient, trial: Running) {
  const args = [hashOf(client, trial)] as const
  return client.readContract({ address: trial.vault, abi, functionName: 'getVoucher', args })
}

async function expectBalance(client: DeployClient, trial: Running, expected: bigint): Promise<string[]> {
  const { balance } = await readVoucher(client, trial)
  return balance === expected ? [] : [`the voucher has a balance of ${balance} instead of ${expected}`]
}

/** By how much a balance changed in the block of this transaction. */
async function expectMoved(
  client: DeployClient,
  { asset }: Running,
  { blockNumber }: TransactionReceipt,
  { who, holder, amount }: { who: string; holder: Address; amount: bigint },
): Promise<string[]> {
  const before = await balanceOf(client, asset, holder, blockNumber - 1n)
  const after = await balanceOf(client, asset, holder, blockNumber)
  const moved = after - before
  return moved === amount ? [] : [`the balance of ${who} changed by ${moved} ${nameOf(asset)} instead of ${amount}`]
}

function eventsOf(receipt: TransactionReceipt, vault: Address) {
  return parseEventLogs({ abi, logs: receipt.logs.filter((log) => isSame(log.address, vault)) })
}
