import { formatMoney, formatPercent } from '../../base/money.ts'
import { marketRate } from '../../catalogue/exchange/price.ts'
import { type CatalogueCurrency, pickCurrency } from '../../catalogue/currency/store.ts'
import type { Quote } from './quote.ts'
import type { ListedMove } from './store.ts'
import type { WireMove, WireQuote } from './wire.ts'

export function toWireMove(move: ListedMove, catalogue: readonly CatalogueCurrency[]): WireMove {
  return {
    ...move,
    amount: formatMoney({ minor: move.amount, currency: pickCurrency(catalogue, move.currency, 'any') }),
    createdAt: move.createdAt.toISOString(),
  }
}

export function toWireQuote({ pays, gets, price, until }: Quote, quoteId: string): WireQuote {
  const market = marketRate(price)
  return {
    from: pays.currency.code,
    to: gets.currency.code,
    pays: formatMoney(pays),
    gets: formatMoney(gets),
    rate: { numerator: String(price.rate.numerator), denominator: String(price.rate.denominator) },
    marketRate: { numerator: String(market.numerator), denominator: String(market.denominator) },
    spreadPercent: formatPercent(price.spreadPpm),
    until: until.toISOString(),
    quoteId,
  }
}
