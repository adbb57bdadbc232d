import type {
  WireDepositCurrencies,
  WireDepositCurrency,
  WireWalletDeposit,
  WireWalletDeposits,
} from '../../server/src/payments/deposit/wire.ts'
import type {
  WireBought,
  WireReceived,
  WireWalletVoucher,
  WireWalletVouchers,
} from '../../server/src/vouchers/holder/wallet-wire.ts'
import type { Read } from '../../server/src/http/schema.ts'
import type {
  WireBlocks,
  WireOffer,
  WireOfferedRequest,
  WirePaid,
  WirePaymentRequest,
  WirePaymentRequests,
} from '../../server/src/payments/request/wire.ts'
import type { WirePushKey } from '../../server/src/messaging/push/wire.ts'
import type { WireMe } from '../../server/src/identity/user/wire.ts'
import type {
  WireContact,
  WireContacts,
  WireHeld,
  WireMove,
  WireMoves,
  WireNamedCurrency,
  WireQuote,
  WireRecipient,
  WireWallet,
} from '../../server/src/payments/wallet/wire.ts'
import { createRequest, type Request } from '../ui/request.ts'
import type { Answer, Refusal } from '../ui/send-request.ts'
import { realm } from './realm.ts'

export type User = Read<WireMe>
export type Named = Read<WireNamedCurrency>
export type Held = Read<WireHeld>
export type Balances = Read<WireWallet>
export type Move = Read<WireMove>
export type Moves = Read<WireMoves>
export type PaymentRequest = Read<WirePaymentRequest>
export type PaymentRequests = Read<WirePaymentRequests>
export type Quote = Read<WireQuote>
export type Offer = Read<WireOffer>
export type OfferedRequest = Read<WireOfferedRequest>
export type Paid = Read<WirePaid>
export type Blocks = Read<WireBlocks>
export type Contact = Read<WireContact>
export type Contacts = Read<WireContacts>
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

/** Who is signed in. A refusal of this path shows the sign-in form. */
export const mePath = '/me'

/** Whether the price is no longer valid: it expired, the market moved, or a newer quote replaced it. */
export function isPriceRefusal({ code }: Refusal): boolean {
  return code === 'WALLET_RATE_MOVED' || code === 'WALLET_QUOTE_STALE'
}

/** The new price for the same conversion, which WALLET_RATE_MOVED carries. */
export function quoteIn(refusal: Refusal & { readonly quote?: Quote }): Quote | undefined {
  return refusal.quote
}

const request = createRequest({ headers: { 'scrip-realm': realm } })
let onSessionEnded = (): void => undefined

/** Calls the function when the server refuses a request because the session has ended. */
export function whenSessionEnds(listener: () => void): void {
  onSessionEnded = listener
}

async function watch<Data>(answer: Promise<Answer<Data>>): Promise<Answer<Data>> {
  const received = await answer
  if ('refusal' in received && received.refusal.code === 'SESSION_MISSING') onSessionEnded()
  return received
}

export const read: Request['read'] = (path) => (path === mePath ? request.read(path) : watch(request.read(path)))
export const act: Request['act'] = (path, body, key) => watch(request.act(path, body, key))
export const remove: Request['remove'] = (path) => watch(request.remove(path))
export const open: Request['open'] = async (path, signal, more) => {
  const response = await request.open(path, signal, more)
  if (response.status === 401) onSessionEnded()
  return response
}
