import { getAddress } from 'viem'
import { formatMoney } from '../../base/money.ts'
import { unitOf } from '../../catalogue/charge/gas.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import type { OnchainVoucher, SentPayment } from './onchain-store.ts'
import type { ShownOnchain, ShownPayout } from './wire.ts'

/** Null if no vault holds its value, or holds it no longer. */
export function toShownOnchain(
  isOnchain: boolean,
  onchain: OnchainVoucher | undefined,
  currency: CatalogueCurrency,
): ShownOnchain | null {
  if (!isOnchain || onchain === undefined) return null
  const { state, closing, networkName, vault, explorerUrl, balance, decimals, createTx } = onchain
  return {
    state: state === 'creating' ? 'creating' : closing === null && state === 'open' ? 'open' : 'closing',
    network: networkName,
    vault: getAddress(vault),
    vaultUrl: explorerLink(explorerUrl, 'address', vault),
    balance: formatMoney({ minor: balance * unitOf(currency, decimals), currency }),
    transactionUrl: createTx === null ? '' : explorerLink(explorerUrl, 'tx', createTx),
  }
}

export function toShownPayout(sent: SentPayment): ShownPayout {
  const { status, recipient, isTreasury, networkName, txHash, explorerUrl } = sent
  return {
    status,
    recipient: isTreasury ? '' : getAddress(recipient),
    recipientUrl: isTreasury ? '' : explorerLink(explorerUrl, 'address', recipient),
    network: networkName,
    transactionHash: txHash ?? '',
    transactionUrl: txHash === null ? '' : explorerLink(explorerUrl, 'tx', txHash),
  }
}

/** Explorers of all EVM networks have these paths. */
export function explorerLink(explorerUrl: string, kind: 'tx' | 'address', name: string): string {
  return `${explorerUrl.replace(/\/$/, '')}/${kind}/${name}`
}
