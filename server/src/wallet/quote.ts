import { convert, type Money, type Rate } from '../base/money.ts'
import type { Random } from '../base/random.ts'
import type { Seals } from '../base/seal.ts'
import { findRate } from '../currency/rates.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import type { PostTools } from '../ledger/batch.ts'
import { walletError } from './errors.ts'

export type QuoteTools = PostTools & { readonly seals: Seals; readonly random: Random }

/** What leaves in one currency and what comes of it in another, kept for a while. */
export type Quote = {
  readonly pays: Money
  readonly gets: Money
  /** 1 of what leaves in what comes. */
  readonly rate: Rate
  readonly until: Date
}

const lifeMs = 2 * 60 * 1_000

/** What comes of an amount: rounded down. */
export async function quoteFrom(tools: QuoteTools, pays: Money, to: CatalogueCurrency): Promise<Quote> {
  const { rate } = await findRate(tools.pool, pays.currency.code, to.code, tools.clock)
  const { money: gets } = convert(pays, rate, to, 'down')
  if (gets.minor === 0n) throw walletError('AMOUNT_CONVERTS_TO_NOTHING', { param: 'amount' })
  return { pays, gets, rate, until: endOf(tools) }
}

/** What has to leave so that exactly this comes: rounded up. */
export async function quoteFor(tools: QuoteTools, gets: Money, from: CatalogueCurrency): Promise<Quote> {
  const { rate } = await findRate(tools.pool, from.code, gets.currency.code, tools.clock)
  const { money: pays } = convert(gets, { numerator: rate.denominator, denominator: rate.numerator }, from, 'up')
  return { pays, gets, rate, until: endOf(tools) }
}

function endOf({ clock }: QuoteTools): Date {
  return new Date(clock().getTime() + lifeMs)
}

/** The quote itself, sealed, is its id: nothing has to be kept. It is good for this person and this purpose only. */
export function sealQuote({ seals, random }: QuoteTools, userId: string, purpose: string, quote: Quote): string {
  return seals.sealFacts(`wallet/${userId}/${purpose}`, quote, random)
}

export function openQuote({ seals, clock }: QuoteTools, userId: string, purpose: string, quoteId: string): Quote {
  const quote = seals.openFacts(`wallet/${userId}/${purpose}`, quoteId) as Quote | undefined
  if (quote === undefined || quote.until <= clock()) throw walletError('WALLET_QUOTE_STALE', { param: 'quoteId' })
  return quote
}
