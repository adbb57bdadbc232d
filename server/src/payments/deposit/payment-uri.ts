import { getAddress } from 'viem'
import { coin } from '../../chain/block.ts'

type PaymentTarget = {
  readonly chainId: bigint
  /** The deposit address. */
  readonly address: string
  /** The contract of the token, or the zero address for the network's own currency. */
  readonly token: string
  /** In the smallest unit on the network. */
  readonly amount: bigint
}

/** An EIP-681 address that wallets open or scan as a prepared payment. */
export function paymentUriOf({ chainId, address, token, amount }: PaymentTarget): string {
  const payee = getAddress(address)
  return token === coin
    ? `ethereum:${payee}@${chainId}?value=${amount}`
    : `ethereum:${getAddress(token)}@${chainId}/transfer?address=${payee}&uint256=${amount}`
}
