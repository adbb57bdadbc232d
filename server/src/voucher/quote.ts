import type { Random } from '../base/random.ts'
import type { Seals } from '../base/seal.ts'
import type { QuotedRate } from '../currency/rates.ts'
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

/** A price that is kept for a while: rate, charge and who bears it. */
export type Quote = { readonly offer: Offer; readonly rate: QuotedRate; readonly expiresAt: Date }

const lifeMs = 5 * 60 * 1_000

export function quoteEnd(at: Date): Date {
  return new Date(at.getTime() + lifeMs)
}

/** The quote itself, sealed, is its id: nothing has to be kept, and nobody can make one but us. */
export function sealQuote(seals: Seals, random: Random, wish: QuotedWish, quote: Quote): string {
  return seals.sealFacts(purposeOf(wish), quote, random)
}

/** The quote, if it is ours and for this very redemption, and its time is not over. */
export function readQuote(seals: Seals, quoteId: string, wish: QuotedWish, at: Date): Quote {
  const quote = seals.openFacts(purposeOf(wish), quoteId) as Quote | undefined
  if (quote === undefined || quote.expiresAt <= at) throw voucherError('QUOTE_STALE', { param: 'quoteId' })
  return quote
}

function purposeOf({ environmentId, voucherId, wished, to }: QuotedWish): string {
  return JSON.stringify(['redemption', environmentId, voucherId, wished, to])
}
