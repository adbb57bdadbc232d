import type { Tx } from '../../base/db.ts'
import { convert, type Money } from '../../base/money.ts'
import { list, type RowOf, select, sql } from '../../base/sql.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { findLastRate, pivot } from '../../catalogue/currency/rates.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { exchangeError } from '../../catalogue/exchange/errors.ts'
import { readRules } from '../../catalogue/exchange/store.ts'
import { firstIdAt } from '../transaction/store.ts'
import type { QuoteTools } from './quote.ts'

/**
 * Refuses an exchange beyond the user's daily limit (UTC), in US dollars at the last known rates. The caller must have locked the user.
 */
export async function refuseAboveDaily(
  { clock }: Pick<QuoteTools, 'clock'>,
  tx: Tx,
  userId: string,
  pays: Money,
): Promise<void> {
  const now = clock()
  const midnight = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()))
  const { userDaily } = await readRules(tx)
  const catalogue = await readCurrencies(tx)
  const usd = await findCurrency(tx, pivot, 'any')
  const before = await sumExchanged(tx, userId, firstIdAt(midnight))
  const all = [
    pays,
    ...before.map(({ currency, sum }) => ({ minor: sum, currency: pickCurrency(catalogue, currency, 'any') })),
  ]
  let total = 0n
  for (const each of all) {
    const rate = await findLastRate(tx, each.currency.code, pivot, clock)
    // Both currencies of an exchanged pair have had a rate.
    if (rate === undefined) throw exchangeError('EXCHANGE_DAILY_LIMIT', { param: 'amount' })
    total += convert(each, rate.rate, usd, 'up').money.minor
  }
  if (total > userDaily) throw exchangeError('EXCHANGE_DAILY_LIMIT', { param: 'amount' })
}

const sumColumns = list({ ...ledgerBooks.columns('b', 'currency'), sum: sql.numeric`-sum(m.amount)` })

/** The amounts that were converted: exchanged, or paid to a merchant in another currency. */
async function sumExchanged(tx: Tx, userId: string, sinceId: string): Promise<RowOf<typeof sumColumns>[]> {
  return select(tx)`
    select ${sumColumns} from wallet_moves m join ledger_books b on b.id = m.book_id
      where m.user_id = ${userId} and m.id >= ${sinceId} and m.amount < 0 and m.rate_numerator is not null
      group by b.currency`
}
