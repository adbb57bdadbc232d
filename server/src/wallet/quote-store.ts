import type { Tx } from '../base/db.ts'
import type { Rate } from '../base/money.ts'
import { execute, selectOne } from '../base/sql.ts'
import type { Quote } from './quote.ts'

export type OpenQuote = {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly pays: bigint
  readonly gets: bigint
  readonly rate: Rate
  readonly until: Date
}

/** Saves the user's only open quote, replacing the last one. The transaction must act for the user. */
export async function saveQuote(
  tx: Tx,
  userId: string,
  id: string,
  { pays, gets, price, until }: Quote,
): Promise<void> {
  const { numerator, denominator } = price.rate
  await execute(tx)`
    insert into wallet_quotes (user_id, id, from_currency, to_currency, pays, gets, rate_numerator, rate_denominator,
        ends_at)
      values (${userId}, ${id}, ${pays.currency.code}, ${gets.currency.code}, ${pays.minor}, ${gets.minor}, ${numerator},
        ${denominator}, ${until})
      on conflict (user_id) do update set id = excluded.id, from_currency = excluded.from_currency,
        to_currency = excluded.to_currency, pays = excluded.pays, gets = excluded.gets,
        rate_numerator = excluded.rate_numerator, rate_denominator = excluded.rate_denominator,
        ends_at = excluded.ends_at`
}

export async function findQuote(tx: Tx, userId: string, id: string): Promise<OpenQuote | undefined> {
  const row = await selectOne<Omit<OpenQuote, 'rate'> & Rate>(tx)`
    select id, from_currency as "from", to_currency as "to", pays, gets, rate_numerator as numerator,
        rate_denominator as denominator, ends_at as until
      from wallet_quotes where user_id = ${userId} and id = ${id}`
  if (row === undefined) return undefined
  const { numerator, denominator, ...quote } = row
  return { ...quote, rate: { numerator, denominator } }
}

/** Deletes a used quote. The caller must have locked the user. */
export async function dropQuote(tx: Tx, userId: string): Promise<void> {
  await execute(tx)`delete from wallet_quotes where user_id = ${userId}`
}
