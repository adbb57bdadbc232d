import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { QuotedRate } from '../currency/rates.ts'
import { voucherError } from './errors.ts'
import type { KeyRing } from './key-ring.ts'
import type { Offer } from './offer.ts'

/** A price that is kept for a while: rate, charge and who bears it. */
export type Quote = {
  readonly environmentId: string
  readonly voucherId: string
  /** As it was asked for: minor units, or "max". */
  readonly wished: string
  readonly to: string
  readonly offer: Offer
  readonly rate: QuotedRate
  readonly expiresAt: Date
}

const lifeMs = 5 * 60 * 1_000

export function quoteEnd(at: Date): Date {
  return new Date(at.getTime() + lifeMs)
}

/** The quote itself, signed, is its id: nothing has to be kept, and nobody can make one but us. */
export function signQuote({ current }: KeyRing, quote: Quote): string {
  const text = JSON.stringify(quote, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  const body = Buffer.from(text).toString('base64url')
  return `${current.id}.${body}.${seal(current.quote, body).toString('base64url')}`
}

/** The quote, if it is ours and for this very redemption, and its time is not over. */
export function readQuote(
  keyRing: KeyRing,
  quoteId: string,
  wanted: Pick<Quote, 'environmentId' | 'voucherId' | 'wished' | 'to'>,
  at: Date,
): Quote {
  const [, keyId = '', body = '', mac = ''] = /^(\d{1,4})\.([\w-]{1,2000})\.([\w-]{43})$/.exec(quoteId) ?? []
  const key = keyRing.findKey(Number(keyId))
  if (key === undefined || !timingSafeEqual(seal(key.quote, body), Buffer.from(mac, 'base64url')))
    throw voucherError('QUOTE_STALE', { param: 'quoteId' })
  const quote = toQuote(JSON.parse(Buffer.from(body, 'base64url').toString()) as Texts<Quote>)
  const isFor =
    quote.environmentId === wanted.environmentId &&
    quote.voucherId === wanted.voucherId &&
    quote.wished === wanted.wished &&
    quote.to === wanted.to
  if (!isFor || quote.expiresAt <= at) throw voucherError('QUOTE_STALE', { param: 'quoteId' })
  return quote
}

/** As JSON carries it: whole numbers and times as texts. */
type Texts<T> = { [K in keyof T]: T[K] extends bigint | Date ? string : T[K] extends object ? Texts<T[K]> : T[K] }

function toQuote({ offer, rate, expiresAt, ...rest }: Texts<Quote>): Quote {
  return {
    ...rest,
    offer: { ...offer, amount: BigInt(offer.amount), charge: BigInt(offer.charge), toAmount: BigInt(offer.toAmount) },
    rate: {
      ...rate,
      rate: { numerator: BigInt(rate.rate.numerator), denominator: BigInt(rate.rate.denominator) },
      saidAt: new Date(rate.saidAt),
    },
    expiresAt: new Date(expiresAt),
  }
}

function seal(key: KeyObject, body: string): Buffer {
  return createHmac('sha256', key).update(body).digest()
}
