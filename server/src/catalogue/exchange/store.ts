import type { Db } from '../../base/db.ts'
import { execute, executeOne, list, type RowOf, select, selectOne, sql } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import { rateColumns, type SourceRate } from '../currency/store.ts'

const exchangePairs = defineTable('exchange_pairs', {
  currencyA: sql.text,
  currencyB: sql.text,
  spreadPpm: sql.integer,
  tolerancePpm: sql.integer,
  bandPpm: sql.integer,
})

export type PairTerms = {
  /** The share of a conversion that the desk keeps. */
  readonly spreadPpm: bigint
  /** How far the market may move against the desk before a quoted price is refused. */
  readonly tolerancePpm: bigint
  /** How far a fetched rate may jump before it waits for the operator. */
  readonly bandPpm: bigint
}

/** For pairs that the operator has not set. The spread exceeds the tolerance, so a quote is never a free option. */
const defaultTerms: PairTerms = { spreadPpm: 5_000n, tolerancePpm: 2_000n, bandPpm: 100_000n }

const exchangeSettings = defineTable('exchange_settings', {
  isStopped: sql.boolean,
  /** What one user may exchange in a day, in US cents. */
  userDaily: sql.numeric,
})
const rulesColumns = list(exchangeSettings.columns())
export type ExchangeRules = RowOf<typeof rulesColumns>

export async function readRules(db: Db): Promise<ExchangeRules> {
  const rules = await selectOne(db)`select ${rulesColumns} from exchange_settings`
  if (rules === undefined) throw new Error('The table exchange_settings has no row.')
  return rules
}

const termsColumns = list(exchangePairs.columns('', 'spreadPpm', 'tolerancePpm', 'bandPpm'))

/** The terms of a pair, in either order. */
export async function findTerms(db: Db, from: string, to: string): Promise<PairTerms> {
  const found = await selectOne(db)`
    select ${termsColumns} from exchange_pairs
      where currency_a = least(${from}::text, ${to}::text) and currency_b = greatest(${from}::text, ${to}::text)`
  if (found === undefined) return defaultTerms
  return {
    spreadPpm: BigInt(found.spreadPpm),
    tolerancePpm: BigInt(found.tolerancePpm),
    bandPpm: BigInt(found.bandPpm),
  }
}

export async function saveTerms(db: Db, from: string, to: string, terms: PairTerms): Promise<void> {
  const { spreadPpm, tolerancePpm, bandPpm } = terms
  await execute(db)`
    insert into exchange_pairs (currency_a, currency_b, spread_ppm, tolerance_ppm, band_ppm)
      values (least(${from}::text, ${to}::text), greatest(${from}::text, ${to}::text), ${spreadPpm}, ${tolerancePpm},
        ${bandPpm})
      on conflict (currency_a, currency_b) do update set spread_ppm = excluded.spread_ppm,
        tolerance_ppm = excluded.tolerance_ppm, band_ppm = excluded.band_ppm`
}

export async function setStopped(db: Db, isStopped: boolean): Promise<void> {
  await execute(db)`update exchange_settings set is_stopped = ${isStopped}`
}

export async function setUserDaily(db: Db, userDaily: bigint): Promise<void> {
  await execute(db)`update exchange_settings set user_daily = ${userDaily}`
}

/** Returns false if there is no such currency. */
export async function setDeskLimit(db: Db, currency: string, limit: bigint): Promise<boolean> {
  return executeOne(db)`update currencies set desk_limit = ${limit} where abbreviation = ${currency}`
}

const heldRates = defineTable('held_rates', {
  fromCurrency: sql.text,
  toCurrency: sql.text,
  source: sql.text,
  rate: sql.decimal,
  saidAt: sql.timestamptz,
})

export async function holdRate(db: Db, { from, to, source, rate, asOf }: SourceRate): Promise<void> {
  await execute(db)`
    ${insertInto(heldRates, { fromCurrency: from, toCurrency: to, source, rate, saidAt: asOf })}
      on conflict (from_currency, to_currency, source) do update set rate = excluded.rate, said_at = excluded.said_at
      where held_rates.said_at <= excluded.said_at`
}

/** Removes a held rate and returns it, if there was one. */
export async function takeHeldRate(db: Db, from: string, to: string, source: string): Promise<SourceRate | undefined> {
  return selectOne(db)`
    delete from held_rates r where from_currency = ${from} and to_currency = ${to} and source = ${source}
      returning ${rateColumns}`
}

export async function listHeldRates(db: Db): Promise<SourceRate[]> {
  return select(db)`select ${rateColumns} from held_rates r order by said_at desc`
}
