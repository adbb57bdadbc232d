import Type, { type Static } from 'typebox'
import { cursorFields, money, named } from '../../http/schema.ts'
import { wireStatus } from '../transaction/wire.ts'

const text = Type.String()
const time = Type.String({ format: 'date-time' })

export const amountToDepositExact = Type.String({
  description: 'amountToDeposit as a decimal string, for clients that compute with exact decimals',
})

const paymentUri = Type.String({
  description: 'EIP-681 address with network, currency and amount. Show it as a QR code or a link; wallets open it',
})

export const wireDeposit = {
  id: text,
  address: Type.String({ description: 'The address to pay to. It accepts currencies of this network only' }),
  amountToDeposit: Type.Number({
    description:
      'Including fees, in whole units on the network. At most 15 significant digits, so that a double holds it',
  }),
  amountToDepositExact,
  paymentUri,
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

export const caseKinds = ['under', 'over', 'late', 'wrong_token', 'reversed'] as const

export const caseStates = ['open', 'resolved'] as const

const wireCase = named('DepositCase', {
  id: text,
  reference: text,
  kind: Type.Enum(caseKinds, { title: 'DepositCaseKind' }),
  amount: money(),
  currency: text,
  openedAt: time,
  resolvedAt: Type.String({ description: 'Empty until it is resolved' }),
  resolution: Type.String({
    description: 'credited, matched, returned, or undone if the network reversed it. Empty until it is resolved',
  }),
  matchedReferenceId: Type.String({ description: 'The transaction that it was matched to. Empty if it was not' }),
})
export type WireCase = Static<typeof wireCase>
export const wireCases = Type.Object({ cases: Type.Array(wireCase), ...cursorFields })
export type WireCases = Static<typeof wireCases>

/** An unmatched deposit with what is known about it. */
export const wireCaseDetail = named('DepositCaseDetail', {
  ...wireCase.properties,
  isReturnable: Type.Boolean({ description: 'False for a deposit of a user: it is credited to their wallet' }),
  deposit: Type.Object({
    requested: Type.String({ description: 'The amount that you requested' }),
    requestedCurrency: text,
    toDeposit: Type.String({ description: 'What the payer was to pay, including fees' }),
    paid: Type.String({ description: 'What counts towards it, final' }),
    payCurrency: text,
    status: wireStatus,
    expiresAt: time,
    network: text,
    address: text,
    explorerUrl: Type.String({ description: 'Address of the block explorer. Empty if there is none' }),
  }),
  payments: Type.Array(
    Type.Object({
      transactionHash: text,
      amount: Type.String({ description: 'Empty if the token is not known' }),
      currency: text,
      minedAt: time,
      isCounted: Type.Boolean({ description: 'True if it counts towards the requested amount' }),
      isReversed: Type.Boolean({ description: 'True if a reorganisation removed it' }),
    }),
  ),
})
export type WireCaseDetail = Static<typeof wireCaseDetail>

/** A currency that a user can deposit on a network. */
const wireDepositCurrency = Type.Object({
  networkId: text,
  network: text,
  abbreviation: text,
  currency: text,
  name: text,
  symbol: text,
})
export type WireDepositCurrency = Static<typeof wireDepositCurrency>

export const wireDepositCurrencies = Type.Object({ coins: Type.Array(wireDepositCurrency) })
export type WireDepositCurrencies = Static<typeof wireDepositCurrencies>

/** A deposit in the wallet app, where the requested currency is always the paid one. */
export const wireWalletDeposit = Type.Object({
  id: text,
  address: text,
  paymentUri,
  network: text,
  explorerUrl: text,
  chainId: text,
  currency: text,
  amount: text,
  toDeposit: text,
  charge: text,
  seen: text,
  final: text,
  status: Type.Enum(['waiting', 'done', 'ended', 'undone', '']),
  expiresAt: time,
  createdAt: time,
})
export type WireWalletDeposit = Static<typeof wireWalletDeposit>

export const wireWalletDeposits = Type.Object({ deposits: Type.Array(wireWalletDeposit) })
export type WireWalletDeposits = Static<typeof wireWalletDeposits>
