import { encodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, keccak256 } from 'viem'
import { coin } from '../../chain/block.ts'
import { claimKeyOf, signRedemption } from '../code/claim.ts'
import { voucherVaultAbi } from '../../chain/voucher-vault.gen.ts'
import type { Destination } from './destination.ts'
import type { Offer } from './offer.ts'

/** The call that pays a redemption on a network. */
export type PreparedSend = {
  readonly lane: 'payout' | 'voucher'
  readonly to: string
  readonly data: Hex
  readonly value: bigint
  /** What the recipient gets, in the smallest unit on the network. */
  readonly units: bigint
  readonly signed: SignedTerms | undefined
}
/** What a redemption from a vault is identified by. */
type SignedTerms = {
  readonly vault: string
  readonly nonce: number
  readonly deadline: Date
  readonly refHash: Hex
  readonly fee: bigint
  readonly feeRecipient: string
}

// Long enough for a network that is busy for a while, and short enough that the value is soon back if it never gets through.
const signedForMs = 60 * 60 * 1_000

/** Identifies a redemption on the network, for the merchant that knows its reference. */
export function refHashOf(merchantCode: string, reference: string): Hex {
  return keccak256(encodeAbiParameters([{ type: 'string' }, { type: 'string' }], [merchantCode, reference]))
}

type Wanted = {
  readonly destination: Destination
  readonly offer: Offer
  /** The symbols of the code, of an onchain voucher. */
  readonly code: string
  readonly refHash: Hex
  readonly at: Date
}

/** A payout from our own key, or a message that the vault of an onchain voucher obeys, signed with the key of the code. */
export async function prepareSend(wanted: Wanted): Promise<PreparedSend> {
  return wanted.destination.onchain === undefined ? preparePayout(wanted) : prepareVaultSend(wanted)
}

function preparePayout({ destination: { recipient, token, unit }, offer }: Wanted): PreparedSend {
  const units = offer.toAmount / unit
  const common = { lane: 'payout', units, signed: undefined } as const
  if (token === coin) return { ...common, to: recipient, data: '0x', value: units }
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient as Hex, units] })
  return { ...common, to: token, data, value: 0n }
}

async function prepareVaultSend({ destination, offer, code, refHash, at }: Wanted): Promise<PreparedSend> {
  const { chain, onchain, recipient, unit } = destination
  if (onchain?.codeHash == null || onchain.creator === null) throw new Error('An open onchain voucher has a code hash.')
  const deadline = new Date(at.getTime() + signedForMs)
  const units = offer.amount / unit
  const redemption = {
    codeHash: onchain.codeHash,
    recipient: recipient as Hex,
    amount: units,
    fee: offer.chargedTo === 'voucher' ? offer.charge / unit : 0n,
    // The creator is one of our keys. Its fees pay for further gas.
    feeRecipient: onchain.creator,
    nonce: onchain.nonce,
    deadline: Math.floor(deadline.getTime() / 1_000),
    ref: refHash,
  }
  const vault = { chainId: Number(chain.chainId), vault: onchain.vault }
  const signature = await signRedemption(await claimKeyOf(code, vault), vault, redemption)
  const data = encodeFunctionData({ abi: voucherVaultAbi, functionName: 'redeem', args: [redemption, signature] })
  const { fee, nonce } = redemption
  const signed = { vault: onchain.vault, nonce, deadline, refHash, fee, feeRecipient: onchain.creator }
  return { lane: 'voucher', to: onchain.vault, data, value: 0n, units, signed }
}
