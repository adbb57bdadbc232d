import type { Answer } from '../ui/ask-server.ts'
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
export type Quote = {
  readonly from: string
  readonly to: string
  readonly pays: string
  readonly gets: string
  readonly rate: { readonly numerator: string; readonly denominator: string }
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

const patienceMs = 15_000
export const unreachable = 'UNREACHABLE'

/** Asks for something to read. */
export function read<Data>(path: string): Promise<Answer<Data>> {
  return ask('GET', path)
}

/** Asks for something to be done. With a key it is done once, however often it is asked for. */
export function act<Data>(path: string, body: object, key?: string): Promise<Answer<Data>> {
  return ask('POST', path, body, key)
}

export function remove(path: string): Promise<Answer<object>> {
  return ask('DELETE', path)
}

export function listen(signal: AbortSignal): Promise<Response> {
  return fetch('/wallet/stream', { headers: { 'scrip-realm': realm }, cache: 'no-store', signal })
}

/** An answer that does not come, or is none of ours, says nothing about what became of the question. */
async function ask<Data>(method: string, path: string, body?: object, key?: string): Promise<Answer<Data>> {
  try {
    const reply = await fetch(path, {
      method,
      headers: {
        'scrip-realm': realm,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      cache: 'no-store',
      signal: AbortSignal.timeout(patienceMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const told = (await reply.json()) as { data: Data; message: string; error?: { code: string } }
    if (reply.ok) return told
    const code = told.error?.code ?? unreachable
    // A rate or a network that cannot be asked refuses before anything is done. Of other faults nobody knows.
    const isSure = reply.status < 500 || /^(RATE|CHAIN)_/.test(code)
    return { refusal: { code: isSure ? code : unreachable, message: told.message } }
  } catch {
    return { refusal: { code: unreachable, message: '' } }
  }
}
