import { getAddress } from 'viem'
import type { Db } from '../../base/db.ts'
import { coin } from '../../chain/block.ts'
import { voucherError } from '../code/errors.ts'
import { isDenied } from './onchain-store.ts'

const form = /^0x[0-9a-fA-F]{40}$/

/**
 * The address in lower case. If it has upper and lower case letters, they must be its checksum (EIP-55), which finds most typing errors.
 */
export function readWalletAddress(text: string): string {
  const digits = text.slice(2)
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  if (!form.test(text) || (isMixed && getAddress(text.toLowerCase()) !== text) || text.toLowerCase() === coin)
    throw voucherError('WALLET_ADDRESS_INVALID', { param: 'walletAddress' })
  return text.toLowerCase()
}

/** Refuses addresses that can only be a mistake, and those that the operator denies. */
export async function refuseAddress(db: Db, address: string, contracts: readonly string[]): Promise<void> {
  if (contracts.includes(address)) throw voucherError('WALLET_ADDRESS_INVALID', { param: 'walletAddress' })
  if (await isDenied(db, address)) throw voucherError('WALLET_ADDRESS_DENIED', { param: 'walletAddress' })
}
