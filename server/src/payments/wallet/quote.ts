import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db.ts'
import { convert, type Money, type Rate } from '../../base/money.ts'
import type { Random } from '../../base/random.ts'
import type { Seals } from '../../base/seal.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { findPrice, hasMovedAgainstDesk, type Price } from '../../catalogue/exchange/price.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { walletError } from './errors.ts'

export type QuoteTools = PostTools & { readonly seals: Seals; readonly random: Random }

/** What the user pays in one currency and gets in another, at a rate held for two minutes. */
export type Quote = {
  readonly pays: Money
  readonly gets: Money
  readonly price: Price
  readonly until: Date
}

const lifeMs = 2 * 60 * 1_000

/** Quotes what an amount converts to, rounded down. */
export async function quoteFrom(tools: PriceTools, pays: Money, to: CatalogueCurrency): Promise<Quote> {
  const price = await findPrice(tools.pool, pays.currency.code, to.code, tools.clock)
  const { money: gets } = convert(pays, price.rate, to, 'down')
  if (gets.minor === 0n) throw walletError('AMOUNT_CONVERTS_TO_NOTHING', { param: 'amount' })
  return { pays, gets, price, until: endOf(tools) }
}

/** Quotes what must be paid to get exactly this amount, rounded up. */
export async function quoteFor(tools: PriceTools, gets: Money, from: CatalogueCurrency): Promise<Quote> {
  const price = await findPrice(tools.pool, from.code, gets.currency.code, tools.clock)
  const inverse = { numerator: price.rate.denominator, denominator: price.rate.numerator }
  const { money: pays } = convert(gets, inverse, from, 'up')
  return { pays, gets, price, until: endOf(tools) }
}
type PriceTools = { readonly pool: Db; readonly clock: Clock }

function endOf({ clock }: PriceTools): Date {
  return new Date(clock().getTime() + lifeMs)
}

/** Refuses a quote that has expired, or from which the market has moved to the disadvantage of the exchange desk. */
export async function refuseStale(
  { pool, clock }: PriceTools,
  { pays, gets, rate, until }: Pick<Quote, 'pays' | 'gets' | 'until'> & { readonly rate: Rate },
): Promise<Price> {
  if (until <= clock()) throw walletError('WALLET_QUOTE_STALE', { param: 'quoteId' })
  const now = await findPrice(pool, pays.currency.code, gets.currency.code, clock)
  if (hasMovedAgainstDesk(rate, now)) throw walletError('WALLET_RATE_MOVED', { param: 'quoteId' })
  return now
}

/** Seals the quote of a payment into its own id, so nothing is stored. A payment request is paid once, so the quote is used once. */
export function sealQuote({ seals, random }: QuoteTools, userId: string, purpose: string, quote: Quote): string {
  return seals.sealFacts(`wallet/${userId}/${purpose}`, quote, random)
}

export function openQuote({ seals }: QuoteTools, userId: string, purpose: string, quoteId: string): Quote {
  const quote = seals.openFacts(`wallet/${userId}/${purpose}`, quoteId) as Quote | undefined
  if (quote === undefined) throw walletError('WALLET_QUOTE_STALE', { param: 'quoteId' })
  return quote
}
