import type { Db } from '../base/db.ts'
import { execute, executeOne, select, selectOne } from '../base/sql.ts'
import type { SourceRate } from '../currency/store.ts'

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

export type ExchangeRules = {
  readonly isStopped: boolean
  /** What one user may exchange in a day, in US cents. */
  readonly userDaily: bigint
}

export async function readRules(db: Db): Promise<ExchangeRules> {
  const rules = await selectOne<ExchangeRules>(db)`
    select is_stopped as "isStopped", user_daily as "userDaily" from exchange_settings`
  if (rules === undefined) throw new Error('The table exchange_settings has no row.')
  return rules
}

/** The terms of a pair, in either order. */
export async function findTerms(db: Db, from: string, to: string): Promise<PairTerms> {
  const found = await selectOne<{ spread: number; tolerance: number; band: number }>(db)`
    select spread_ppm as spread, tolerance_ppm as tolerance, band_ppm as band from exchange_pairs
      where currency_a = least(${from}::text, ${to}::text) and currency_b = greatest(${from}::text, ${to}::text)`
  if (found === undefined) return defaultTerms
  return {
    spreadPpm: BigInt(found.spread),
    tolerancePpm: BigInt(found.tolerance),
    bandPpm: BigInt(found.band),
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

export async function holdRate(db: Db, { from, to, source, rate, asOf }: SourceRate): Promise<void> {
  await execute(db)`
    insert into held_rates (from_currency, to_currency, source, rate, said_at)
      values (${from}, ${to}, ${source}, ${rate}, ${asOf})
      on conflict (from_currency, to_currency, source) do update set rate = excluded.rate, said_at = excluded.said_at
      where held_rates.said_at <= excluded.said_at`
}

/** Removes a held rate and returns it, if there was one. */
export async function takeHeldRate(db: Db, from: string, to: string, source: string): Promise<SourceRate | undefined> {
  return selectOne<SourceRate>(db)`
    delete from held_rates where from_currency = ${from} and to_currency = ${to} and source = ${source}
      returning from_currency as "from", to_currency as "to", source, rate::text, said_at as "asOf"`
}

export async function listHeldRates(db: Db): Promise<SourceRate[]> {
  return select<SourceRate>(db)`
    select from_currency as "from", to_currency as "to", source, rate::text, said_at as "asOf" from held_rates
      order by said_at desc`
}
