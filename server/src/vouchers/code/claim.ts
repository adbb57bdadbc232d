// How a voucher code claims money from a voucher vault. The server and the CLI use it.
import { scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { type Address, bytesToHex, encodeAbiParameters, type Hex, hexToBigInt, isAddress, keccak256 } from 'viem'
import { signTypedData } from 'viem/accounts'
import { voucherError } from './errors.ts'
import { isCodeOfOurs, readSymbols } from './symbols.ts'

export type Vault = { readonly chainId: number; readonly vault: Address }

/** What a claim key signs. Amounts are in the smallest unit of the vault's asset, `deadline` in seconds. */
export type Redemption = {
  readonly codeHash: Hex
  readonly recipient: Address
  readonly amount: bigint
  /** Paid from the voucher in addition to `amount`. */
  readonly fee: bigint
  readonly feeRecipient: Address
  /** From the voucher: how many times it was redeemed. */
  readonly nonce: number
  readonly deadline: number
  /** Identifies the payment in the vault's event. */
  readonly ref: Hex
}

/** The typed data of EIP-712, in the order of `IVoucherVault.Redemption`. */
export const redemptionTypes = {
  Redemption: [
    { name: 'codeHash', type: 'bytes32' },
    { name: 'recipient', type: 'address' },
    { name: 'amount', type: 'uint128' },
    { name: 'fee', type: 'uint128' },
    { name: 'feeRecipient', type: 'address' },
    { name: 'nonce', type: 'uint32' },
    { name: 'deadline', type: 'uint40' },
    { name: 'ref', type: 'bytes32' },
  ],
} as const

const salt = 'Scrip voucher claim 1'
/**
 * About 25 ms and 8 MB for each guess. The address of a claim key is public, and one guess can be compared with all vouchers of a vault: with
 * a fast hash, 2^55 guesses would find one of a million codes of 75 bits.
 */
const cost = { N: 2 ** 13, r: 8, p: 1 }
const stretch = promisify(scrypt) as (
  code: string,
  salt: string,
  bytes: number,
  options: typeof cost,
) => Promise<Buffer>
/** The order of secp256k1. A private key is below it and above zero. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * The private key that redeems the voucher with this code. It differs per chain and vault, so that a signature or a leaked
 * key is of no use elsewhere. Imported codes are refused: they may be short.
 */
export async function claimKeyOf(
  code: string,
  { chainId, vault, counter = 0 }: Vault & { readonly counter?: number },
): Promise<Hex> {
  const symbols = readSymbols(code)
  if (!isCodeOfOurs(symbols)) throw voucherError('VOUCHER_CODE_MISTYPED')
  if (!isAddress(vault, { strict: false })) throw new TypeError(`Not an address: ${String(vault)}`)
  const place = `${salt}:${chainId}:${vault.toLowerCase()}:${counter}`
  const key = bytesToHex(await stretch(symbols, place, 32, cost))
  // One in 2^128 results is no private key.
  return isPrivateKey(key) ? key : claimKeyOf(code, { chainId, vault, counter: counter + 1 })
}

export function isPrivateKey(key: Hex): boolean {
  const number = hexToBigInt(key)
  return number > 0n && number < curveOrder
}

/** The id of a voucher in its vault. */
export function codeHashOf(creator: Address, claimKeyAddress: Address): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'address' }], [creator, claimKeyAddress]))
}

type Domain = {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: Address
}

export function redemptionDomainOf({ chainId, vault }: Vault): Domain {
  return { name: 'Scrip VoucherVault', version: '1', chainId, verifyingContract: vault }
}

/** 65 bytes with the lower of both possible values of s, as the vault requires. */
export function signRedemption(claimKey: Hex, vault: Vault, redemption: Redemption): Promise<Hex> {
  return signTypedData({
    privateKey: claimKey,
    domain: redemptionDomainOf(vault),
    types: redemptionTypes,
    primaryType: 'Redemption',
    message: redemption,
  })
}
