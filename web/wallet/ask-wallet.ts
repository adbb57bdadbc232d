import { createAsk } from '../ui/ask.ts'
import type { Refusal } from '../ui/ask-server.ts'
import { realm } from './realm.ts'

export type Person = {
  readonly id: string
  readonly email: string
  readonly phone: string
  readonly username: string
  readonly fullName: string
  readonly language: 'en' | 'fr'
  readonly isDiscoverable: boolean
  readonly isPinSet: boolean
  readonly hasTwoFactor: boolean
}
export type Named = { readonly currency: string; readonly name: string; readonly symbol: string }
export type Held = Named & { readonly available: string }
export type Balances = { readonly balances: readonly Held[]; readonly currencies: readonly Named[] }
export type Move = {
  readonly id: string
  readonly kind: string
  readonly currency: string
  readonly amount: string
  readonly withName: string
  readonly note: string
  readonly createdAt: string
}
export type Moves = { readonly moves: readonly Move[]; readonly nextCursor: string }
export type PaymentRequest = {
  readonly id: string
  readonly merchant: string
  readonly amount: string
  readonly currency: string
  readonly note: string
  readonly status: 'PENDING' | 'COMPLETED' | 'FAILED' | 'CANCELED'
  readonly createdAt: string
  readonly expiresAt: string
}
type Rate = { readonly numerator: string; readonly denominator: string }
export type Quote = {
  readonly from: string
  readonly to: string
  readonly pays: string
  readonly gets: string
  readonly rate: Rate
  readonly marketRate: Rate
  readonly spreadPercent: string
  readonly until: string
  readonly quoteId: string
}
export type Offer = Quote & { readonly isEnough: boolean }
export type OfferedRequest = PaymentRequest & { readonly from: readonly Offer[] }
export type Recipient = { readonly fullName: string; readonly username: string }
export type WalletVoucher = {
  readonly id: string
  readonly code: string
  readonly currency: string
  readonly amount: string
  readonly balance: string
  readonly hasPin: boolean
  readonly isOpen: boolean
  readonly isGiven: boolean
  readonly expiresAt: string | null
}
export type Coin = Named & { readonly networkId: string; readonly network: string }
export type CoinDeposit = {
  readonly id: string
  readonly address: string
  readonly network: string
  readonly currency: string
  readonly amount: string
  readonly toDeposit: string
  readonly charge: string
  readonly seen: string
  readonly final: string
  readonly status: 'waiting' | 'done' | 'ended' | 'undone'
  readonly expiresAt: string
}

/** Whether a price is no longer valid: it has ended, the market has moved, or another quote has taken its place. */
export function isPriceRefusal({ code }: Refusal): boolean {
  return code === 'WALLET_RATE_MOVED' || code === 'WALLET_QUOTE_STALE'
}

/** The new price for the same conversion, which comes with WALLET_RATE_MOVED. */
export function quoteIn(refusal: Refusal & { readonly quote?: Quote }): Quote | undefined {
  return refusal.quote
}

export const { read, act, remove, open } = createAsk({ headers: { 'scrip-realm': realm } })
