import type {
  WireDepositCurrencies,
  WireDepositCurrency,
  WireWalletDeposit,
  WireWalletDeposits,
} from '../../server/src/deposit/wire.ts'
import type {
  WireBought,
  WireReceived,
  WireWalletVoucher,
  WireWalletVouchers,
} from '../../server/src/holder/wallet-wire.ts'
import type { Read } from '../../server/src/http/schema.ts'
import type {
  WireBlocks,
  WireOffer,
  WireOfferedRequest,
  WireOpenRequests,
  WirePaid,
  WirePaymentRequest,
} from '../../server/src/payment/wire.ts'
import type { WirePushKey } from '../../server/src/push/wire.ts'
import type { WireMe } from '../../server/src/user/wire.ts'
import type {
  WireHeld,
  WireMove,
  WireMoves,
  WireNamedCurrency,
  WireQuote,
  WireRecipient,
  WireWallet,
} from '../../server/src/wallet/wire.ts'
import { createRequest } from '../ui/request.ts'
import type { Refusal } from '../ui/send-request.ts'
import { realm } from './realm.ts'

export type User = Read<WireMe>
export type Named = Read<WireNamedCurrency>
export type Held = Read<WireHeld>
export type Balances = Read<WireWallet>
export type Move = Read<WireMove>
export type Moves = Read<WireMoves>
export type PaymentRequest = Read<WirePaymentRequest>
export type OpenRequests = Read<WireOpenRequests>
export type Quote = Read<WireQuote>
export type Offer = Read<WireOffer>
export type OfferedRequest = Read<WireOfferedRequest>
export type Paid = Read<WirePaid>
export type Blocks = Read<WireBlocks>
export type Recipient = Read<WireRecipient>
export type WalletVoucher = Read<WireWalletVoucher>
export type WalletVouchers = Read<WireWalletVouchers>
export type Redeemed = Read<WireReceived>
export type Bought = Read<WireBought>
export type Coin = Read<WireDepositCurrency>
export type Coins = Read<WireDepositCurrencies>
export type CoinDeposit = Read<WireWalletDeposit>
export type CoinDeposits = Read<WireWalletDeposits>
export type PushKey = Read<WirePushKey>

/** Whether the price is no longer valid: it expired, the market moved, or a newer quote replaced it. */
export function isPriceRefusal({ code }: Refusal): boolean {
  return code === 'WALLET_RATE_MOVED' || code === 'WALLET_QUOTE_STALE'
}

/** The new price for the same conversion, which WALLET_RATE_MOVED carries. */
export function quoteIn(refusal: Refusal & { readonly quote?: Quote }): Quote | undefined {
  return refusal.quote
}

export const { read, act, remove, open } = createRequest({ headers: { 'scrip-realm': realm } })
