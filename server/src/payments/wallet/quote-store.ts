import type { Tx } from '../../base/db.ts'
import type { Rate } from '../../base/money.ts'
import { execute, list, type RowOf, selectOne, sql } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import type { Quote } from './quote.ts'

const walletQuotes = defineTable('wallet_quotes', {
  userId: sql.uuid,
  id: sql.uuid,
  fromCurrency: sql.text,
  toCurrency: sql.text,
  pays: sql.numeric,
  gets: sql.numeric,
  rateNumerator: sql.numeric,
  rateDenominator: sql.numeric,
  endsAt: sql.timestamptz,
})

const quoteColumns = list({
  ...walletQuotes.columns('', 'id', 'pays', 'gets'),
  from: sql.text`from_currency`,
  to: sql.text`to_currency`,
  numerator: sql.numeric`rate_numerator`,
  denominator: sql.numeric`rate_denominator`,
  until: sql.timestamptz`ends_at`,
})
export type OpenQuote = Omit<RowOf<typeof quoteColumns>, keyof Rate> & { readonly rate: Rate }

/** Saves the user's only open quote, replacing the last one. The transaction must act for the user. */
export async function saveQuote(
  tx: Tx,
  userId: string,
  id: string,
  { pays, gets, price, until }: Quote,
): Promise<void> {
  const row = {
    userId,
    id,
    fromCurrency: pays.currency.code,
    toCurrency: gets.currency.code,
    pays: pays.minor,
    gets: gets.minor,
    rateNumerator: price.rate.numerator,
    rateDenominator: price.rate.denominator,
    endsAt: until,
  }
  await execute(tx)`
    ${insertInto(walletQuotes, row)}
      on conflict (user_id) do update set id = excluded.id, from_currency = excluded.from_currency,
        to_currency = excluded.to_currency, pays = excluded.pays, gets = excluded.gets,
        rate_numerator = excluded.rate_numerator, rate_denominator = excluded.rate_denominator,
        ends_at = excluded.ends_at`
}

export async function findQuote(tx: Tx, userId: string, id: string): Promise<OpenQuote | undefined> {
  const row = await selectOne(tx)`
    select ${quoteColumns} from wallet_quotes where user_id = ${userId} and id = ${id}`
  if (row === undefined) return undefined
  const { numerator, denominator, ...quote } = row
  return { ...quote, rate: { numerator, denominator } }
}

/** Deletes a used quote. The caller must have locked the user. */
export async function dropQuote(tx: Tx, userId: string): Promise<void> {
  await execute(tx)`delete from wallet_quotes where user_id = ${userId}`
}
