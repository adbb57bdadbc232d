import type { Random } from '../base/random.ts'
import type { Seals } from '../base/seal.ts'
import type { Price } from '../exchange/price.ts'
import { voucherError } from './errors.ts'
import type { Offer } from './offer.ts'

/** What a price was asked for. */
type QuotedWish = {
  readonly environmentId: string
  readonly voucherId: string
  /** As it was asked for: minor units, or "max". */
  readonly wished: string
  readonly to: string
}

/** A promised price: rate, fee and who pays it. Good for one redemption within five minutes. */
export type Quote = {
  readonly id: string
  readonly offer: Offer
  readonly price: Price
  readonly expiresAt: Date
}

const lifeMs = 5 * 60 * 1_000

export function quoteEnd(at: Date): Date {
  return new Date(at.getTime() + lifeMs)
}

/** The quote itself, sealed behind its number: nothing is stored until it is used, and only we can make one. */
export function sealQuote(seals: Seals, random: Random, wish: QuotedWish, quote: Quote): string {
  return `${quote.id}.${seals.sealFacts(purposeOf(wish), quote, random)}`
}

const numbered = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.(.+)$/

/** The number of a quote, readable before it is opened, so that its use can be looked up with everything else. */
export function quoteNumber(quoteId: string | undefined): string | undefined {
  return numbered.exec(quoteId ?? '')?.[1]
}

/** The quote, if it is ours and for this very redemption, and has not ended. */
export function readQuote(seals: Seals, quoteId: string, wish: QuotedWish, at: Date): Quote {
  const [, number, sealed = ''] = numbered.exec(quoteId) ?? []
  const quote = seals.openFacts(purposeOf(wish), sealed) as Quote | undefined
  if (quote === undefined || quote.id !== number || quote.expiresAt <= at)
    throw voucherError('QUOTE_STALE', { param: 'quoteId' })
  return quote
}

function purposeOf({ environmentId, voucherId, wished, to }: QuotedWish): string {
  return JSON.stringify(['redemption', environmentId, voucherId, wished, to])
}
