import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db.ts'
import { parseRate, type Rate } from '../../base/money.ts'
import { currencyError } from './errors.ts'
import { findRates, type SourceRate, saveRate } from './store.ts'

/** A rate with its source and time, as quotes store it. */
export type QuotedRate = { readonly rate: Rate; readonly source: string; readonly asOf: Date }

/** The currency that connects pairs without a direct rate, and in which limits across currencies are counted. */
export const pivot = 'USD'

/**
 * The rate between two currencies: direct, inverse, or through the pivot. The same currency needs no rate, so a
 * missing source cannot stop such payments.
 */
export async function findRate(db: Db, from: string, to: string, clock: Clock): Promise<QuotedRate> {
  const now = clock()
  if (from === to) return same(now)
  const found = pick(await findRates(db, [...new Set([from, to, pivot])], now), from, to)
  if (found === undefined) throw currencyError('RATE_UNKNOWN', { from, to })
  return found
}

/** The recent rates of these currencies to another one, in one read. A currency without a rate is not in the map. */
export async function findRatesTo(
  db: Db,
  codes: readonly string[],
  to: string,
  clock: Clock,
): Promise<ReadonlyMap<string, Rate>> {
  const now = clock()
  const rates = await findRates(db, [...new Set([...codes, to, pivot])], now)
  const found = new Map<string, Rate>()
  for (const code of codes) {
    const quoted = code === to ? same(now) : pick(rates, code, to)
    if (quoted !== undefined) found.set(code, quoted.rate)
  }
  return found
}

/** The last known rate of any age, for limits: a missing source must not disable a limit. */
export async function findLastRate(db: Db, from: string, to: string, clock: Clock): Promise<QuotedRate | undefined> {
  if (from === to) return same(clock())
  return pick(await findRates(db, [...new Set([from, to, pivot])]), from, to)
}

/** The newest rate of any source for this pair, in either direction. */
export async function findNewestRate(db: Db, from: string, to: string): Promise<QuotedRate | undefined> {
  const [newest] = (await findRates(db, [from, to])).filter((one) => one.from !== one.to)
  return newest && between([newest], from, to)
}

function same(at: Date): QuotedRate {
  return { rate: { numerator: 1n, denominator: 1n }, source: 'same', asOf: at }
}

function pick(rates: SourceRate[], from: string, to: string): QuotedRate | undefined {
  return between(rates, from, to) ?? through(rates, from, to)
}

/** A manual rate of the operator comes first while it is recent enough. Among other sources the newest rate counts. */
function between(rates: SourceRate[], from: string, to: string): QuotedRate | undefined {
  const about = rates.filter((one) => (one.from === from && one.to === to) || (one.from === to && one.to === from))
  const one = about.find(({ source }) => source === 'manual') ?? about[0]
  if (one === undefined) return undefined
  const { numerator, denominator } = parseRate(one.rate)
  const rate = one.from === from ? { numerator, denominator } : { numerator: denominator, denominator: numerator }
  return { rate, source: one.source, asOf: one.asOf }
}

function through(rates: SourceRate[], from: string, to: string): QuotedRate | undefined {
  const first = between(rates, from, pivot)
  const second = between(rates, pivot, to)
  if (first === undefined || second === undefined) return undefined
  return {
    rate: {
      numerator: first.rate.numerator * second.rate.numerator,
      denominator: first.rate.denominator * second.rate.denominator,
    },
    source: `${first.source}+${second.source}`,
    asOf: first.asOf < second.asOf ? first.asOf : second.asOf,
  }
}

/** Sets a manual rate for the operator. */
export async function setManualRate(db: Db, from: string, to: string, rate: string, clock: Clock): Promise<void> {
  parseRate(rate)
  await saveRate(db, { from, to, source: 'manual', rate, asOf: clock() })
}
