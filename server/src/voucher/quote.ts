import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Rate } from '../base/money.ts'
import type { ChargeType } from '../charge/price.ts'
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
  readonly chargeType: ChargeType
  readonly rate: Rate
  readonly rateSource: string
  readonly rateSaidAt: Date
  readonly expiresAt: Date
}

const lifeMs = 5 * 60 * 1_000

export function quoteEnd(at: Date): Date {
  return new Date(at.getTime() + lifeMs)
}

/** The quote itself, signed, is its id: nothing has to be kept, and nobody can make one but us. */
export function signQuote({ current }: KeyRing, quote: Quote): string {
  const { offer, rate } = quote
  const body = Buffer.from(
    JSON.stringify([
      quote.environmentId,
      quote.voucherId,
      quote.wished,
      quote.to,
      [String(offer.amount), String(offer.charge), offer.chargedTo, String(offer.toAmount)],
      quote.chargeType,
      [String(rate.numerator), String(rate.denominator), quote.rateSource, quote.rateSaidAt.getTime()],
      quote.expiresAt.getTime(),
    ]),
  ).toString('base64url')
  return `${current.id}.${body}.${seal(current.quote, body).toString('base64url')}`
}

type Body = [
  string,
  string,
  string,
  string,
  [string, string, Offer['chargedTo'], string],
  ChargeType,
  [string, string, string, number],
  number,
]

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
  const [environmentId, voucherId, wished, to, offer, chargeType, rate, expiresAtMs] = JSON.parse(
    Buffer.from(body, 'base64url').toString(),
  ) as Body
  const isFor =
    environmentId === wanted.environmentId &&
    voucherId === wanted.voucherId &&
    wished === wanted.wished &&
    to === wanted.to
  if (!isFor || expiresAtMs <= at.getTime()) throw voucherError('QUOTE_STALE', { param: 'quoteId' })
  const [amount, charge, chargedTo, toAmount] = offer
  const [numerator, denominator, rateSource, rateSaidAtMs] = rate
  return {
    ...wanted,
    offer: { amount: BigInt(amount), charge: BigInt(charge), chargedTo, toAmount: BigInt(toAmount) },
    chargeType,
    rate: { numerator: BigInt(numerator), denominator: BigInt(denominator) },
    rateSource,
    rateSaidAt: new Date(rateSaidAtMs),
    expiresAt: new Date(expiresAtMs),
  }
}

function seal(key: KeyObject, body: string): Buffer {
  return createHmac('sha256', key).update(body).digest()
}
