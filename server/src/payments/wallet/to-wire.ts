import { formatMoney, formatPercent } from '../../base/money.ts'
import { marketRate } from '../../catalogue/exchange/price.ts'
import type { Quote } from './quote.ts'
import type { WireQuote } from './wire.ts'

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
