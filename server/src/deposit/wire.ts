import Type from 'typebox'
import { formatMoney } from '../base/money.ts'
import { getAddress } from 'viem'
import type { CatalogueCurrency, Network } from '../currency/store.ts'
import { exactNumber } from '../http/exact-json.ts'
import type { Deposit, WalletDeposit } from './store.ts'

const text = Type.String()
const time = Type.String({ format: 'date-time' })

export const wireDeposit = {
  id: text,
  address: Type.String({ description: 'Where to pay to. It takes coin and tokens of this network alone' }),
  amountToDeposit: Type.Number({ description: 'Charges included, in whole units of the network' }),
  expiresAt: time,
  dateCreated: time,
  blockchainNetworkDetail: Type.Object({
    id: text,
    networkName: text,
    chainID: text,
    networkType: text,
    blockExplorerUrl: text,
    networkLogo: text,
  }),
}

export function toWireDeposit(deposit: Deposit, pay: CatalogueCurrency, network: Network, networkLogo: string) {
  const { id, address, toDeposit, expiresAt, createdAt } = deposit
  const { name: networkName, chainId, type: networkType, explorerUrl: blockExplorerUrl } = network
  return {
    id,
    // With the capitals by which a wallet finds a typing error.
    address: getAddress(address),
    amountToDeposit: exactNumber(formatMoney({ minor: toDeposit, currency: pay })),
    expiresAt: expiresAt.toISOString(),
    dateCreated: createdAt.toISOString(),
    blockchainNetworkDetail: {
      ...{ id: network.id, networkName, chainID: String(chainId), networkType, blockExplorerUrl, networkLogo },
    },
  }
}

const walletStatus: Readonly<Record<string, string>> = {
  PENDING: 'waiting',
  COMPLETED: 'done',
  CANCELED: 'ended',
  REVERSED: 'undone',
}

/** As its person sees it: what is asked for is of the currency that is paid with. */
export function toWireWalletDeposit(deposit: WalletDeposit, currency: CatalogueCurrency) {
  const { id, address, networkName: network, explorerUrl, chainId, expiresAt, createdAt } = deposit
  const money = (minor: bigint): string => formatMoney({ minor, currency })
  return {
    ...{ id, address: getAddress(address), network, explorerUrl, chainId: String(chainId), currency: currency.code },
    // Less than was asked for, where that was tolerated.
    amount: money(deposit.credited > 0n ? deposit.credited : deposit.amount),
    toDeposit: money(deposit.toDeposit),
    charge: money(deposit.charge),
    seen: money(deposit.seen),
    final: money(deposit.final),
    status: walletStatus[deposit.status] ?? '',
    expiresAt: expiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
  }
}

export const wireCase = Type.Object({
  id: text,
  reference: text,
  kind: Type.String({ description: 'under, over, late, wrong_token or reversed' }),
  amount: Type.Number(),
  currency: text,
  openedAt: time,
  resolvedAt: Type.String({ description: 'Empty while it waits' }),
  resolution: text,
})
