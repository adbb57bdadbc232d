import type { Static, TObject } from 'typebox'
import { getAddress } from 'viem'
import { formatMoney, type Money } from '../../base/money.ts'
import type { CatalogueCurrency, Network } from '../../catalogue/currency/store.ts'
import { exactNumber } from '../../http/exact-json.ts'
import { type Wire } from '../../http/schema.ts'
import type { TransactionStatus } from '../transaction/status.ts'
import { paymentUriOf } from './payment-uri.ts'
import type { Deposit, WalletDeposit } from './store.ts'
import { wireDeposit, type WireWalletDeposit } from './wire.ts'

/** All decimals of an amount without trailing zeros. */
export function significantDigits(money: Money): string {
  const text = formatMoney(money)
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

export function toWireDeposit(
  deposit: Deposit,
  pay: CatalogueCurrency,
  network: Network,
  networkLogo: string,
): WireDeposit {
  const { id, address, token, unit, toDeposit, expiresAt, createdAt } = deposit
  const { name: networkName, chainId, type: networkType, explorerUrl: blockExplorerUrl } = network
  return {
    id,
    // With the checksum capitals that let wallets detect typing errors.
    address: getAddress(address),
    amountToDeposit: exactNumber(formatMoney({ minor: toDeposit, currency: pay })),
    amountToDepositExact: significantDigits({ minor: toDeposit, currency: pay }),
    paymentUri: paymentUriOf({ chainId, address, token, amount: toDeposit / unit }),
    expiresAt: expiresAt.toISOString(),
    dateCreated: createdAt.toISOString(),
    blockchainNetworkDetail: {
      id: network.id,
      networkName,
      chainID: String(chainId),
      networkType,
      blockExplorerUrl,
      networkLogo,
    },
  }
}

type WireDeposit = Wire<Static<TObject<typeof wireDeposit>>>

const walletStatus: Readonly<Record<TransactionStatus, WireWalletDeposit['status']>> = {
  PENDING: 'waiting',
  // The wallet app has no name for APPROVED and REFUNDED.
  APPROVED: '',
  PROCESSING: 'waiting',
  COMPLETED: 'done',
  CANCELED: 'ended',
  FAILED: 'ended',
  REFUNDED: '',
  REVERSED: 'undone',
}

/** A deposit in the wallet app, where the requested currency is always the paid one. */
export function toWireWalletDeposit(deposit: WalletDeposit, currency: CatalogueCurrency): WireWalletDeposit {
  const { id, address, token, unit, networkName: network, explorerUrl, chainId, expiresAt, createdAt } = deposit
  const money = (minor: bigint): string => formatMoney({ minor, currency })
  return {
    id,
    address: getAddress(address),
    paymentUri: paymentUriOf({ chainId, address, token, amount: deposit.toDeposit / unit }),
    network,
    explorerUrl,
    chainId: String(chainId),
    currency: currency.code,
    // The credited amount can be below the requested one, within the merchant's tolerance.
    amount: money(deposit.credited > 0n ? deposit.credited : deposit.amount),
    toDeposit: money(deposit.toDeposit),
    charge: money(deposit.charge),
    seen: money(deposit.seen),
    final: money(deposit.final),
    status: walletStatus[deposit.status],
    expiresAt: expiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
  }
}
