import type { Static, TObject } from 'typebox'
import { getAddress } from 'viem'
import { formatMoney, type Money } from '../../base/money.ts'
import { type CatalogueCurrency, type Network, pickCurrency } from '../../catalogue/currency/store.ts'
import { exactNumber } from '../../http/exact-json.ts'
import { type Wire } from '../../http/schema.ts'
import type { TransactionStatus } from '../transaction/status.ts'
import { paymentUriOf } from './payment-uri.ts'
import type { ShownCase } from './read-case.ts'
import type { Case, Deposit, WalletDeposit } from './store.ts'
import { type WireCase, wireCaseDetail, wireDeposit, type WireWalletDeposit } from './wire.ts'

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

export function toWireCase(found: Case, currency: CatalogueCurrency): Wire<WireCase> {
  const { id, reference, kind, amount, openedAt, resolvedAt, resolution, matchedReference } = found
  return {
    ...{ id, reference, kind, resolution },
    amount: exactNumber(formatMoney({ minor: amount, currency })),
    currency: currency.code,
    openedAt: openedAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? '',
    matchedReferenceId: matchedReference,
  }
}

export function toWireCaseDetail(
  { found, deposit, payments }: ShownCase,
  catalogue: readonly CatalogueCurrency[],
): Wire<Static<typeof wireCaseDetail>> {
  const pay = pickCurrency(catalogue, deposit.payCurrency, 'any')
  const money = (minor: bigint): string => formatMoney({ minor, currency: pay })
  return {
    ...toWireCase(found, pickCurrency(catalogue, found.currency, 'any')),
    isReturnable: !found.isOfUser,
    deposit: {
      requested: formatMoney({ minor: deposit.amount, currency: pickCurrency(catalogue, deposit.currency, 'any') }),
      requestedCurrency: deposit.currency,
      toDeposit: money(deposit.toDeposit),
      paid: money(deposit.paid),
      payCurrency: pay.code,
      status: deposit.status,
      expiresAt: deposit.expiresAt.toISOString(),
      network: deposit.networkName,
      address: getAddress(deposit.address),
      explorerUrl: deposit.explorerUrl,
    },
    payments: payments.map(({ txHash, value, minedAt, isCounted, goneAt }) => ({
      transactionHash: txHash,
      amount: value === undefined ? '' : formatMoney(value),
      currency: value?.currency.code ?? '',
      minedAt: minedAt.toISOString(),
      isCounted,
      isReversed: goneAt !== null,
    })),
  }
}
