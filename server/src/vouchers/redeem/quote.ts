import type { Random } from '../../base/random.ts'
import type { Seals } from '../../base/seal.ts'
import type { Price } from '../../catalogue/exchange/price.ts'
import type { GasTerms } from './destination.ts'
import { voucherError } from '../code/errors.ts'
import type { Offer } from './offer.ts'

/** The redemption that a quote is for. */
type QuoteTerms = {
  readonly environmentId: string
  readonly voucherId: string
  /** The requested amount: minor units, or "max". */
  readonly amount: string
  readonly to: string
  /** The address that is paid, on its network. Empty: a balance is credited. */
  readonly payee: string
}

/** A promised price: the rate, the fee and the account that pays it. Valid for one redemption within five minutes. */
export type Quote = {
  readonly id: string
  readonly offer: Offer
  readonly price: Price
  readonly expiresAt: Date
  /** Of a redemption that pays on a network. */
  readonly gas?: GasTerms | undefined
}

const lifeMs = 5 * 60 * 1_000

export function quoteEnd(at: Date): Date {
  return new Date(at.getTime() + lifeMs)
}

/**
 * The quote id: its number and the encrypted quote. Nothing is stored until it is used, and only the server can make
 * one.
 */
export function sealQuote(seals: Seals, random: Random, terms: QuoteTerms, quote: Quote): string {
  return `${quote.id}.${seals.sealFacts(purposeOf(terms), quote, random)}`
}

const numbered = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.(.+)$/

/**
 * The number of a quote, readable without decryption, so that one query can check its use together with all other
 * facts.
 */
export function quoteNumber(quoteId: string | undefined): string | undefined {
  return numbered.exec(quoteId ?? '')?.[1]
}

/** The quote, if it is genuine, for exactly this redemption, and not expired. */
export function readQuote(seals: Seals, quoteId: string, terms: QuoteTerms, at: Date): Quote {
  const [, number, sealed = ''] = numbered.exec(quoteId) ?? []
  const quote = seals.openFacts(purposeOf(terms), sealed) as Quote | undefined
  if (quote === undefined || quote.id !== number || quote.expiresAt <= at)
    throw voucherError('QUOTE_STALE', { param: 'quoteId' })
  return quote
}

function purposeOf({ environmentId, voucherId, amount, to, payee }: QuoteTerms): string {
  return JSON.stringify(['redemption', environmentId, voucherId, amount, to, ...(payee === '' ? [] : [payee])])
}
