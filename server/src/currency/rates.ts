import type { Clock } from '../base/clock.ts'
import type { Db } from '../base/db.ts'
import { parseRate, type Rate } from '../base/money.ts'
import { currencyError } from './errors.ts'
import { findRates, type SaidRate, saveRate } from './store.ts'

/** A rate with where it comes from and how old it is: what a quote has to keep. */
export type QuotedRate = { readonly rate: Rate; readonly source: string; readonly saidAt: Date }

/** The currency that rates go through where none is said directly, and in which limits across currencies are counted. */
export const pivot = 'USD'

/**
 * What 1 of one currency is in another: said directly, or said the other way round, or through the pivot. A same-currency
 * payment needs no rate, so no dead source can stop it.
 */
export async function findRate(db: Db, from: string, to: string, clock: Clock): Promise<QuotedRate> {
  const now = clock()
  if (from === to) return same(now)
  const found = pick(await findRates(db, [...new Set([from, to, pivot])], now), from, to)
  if (found === undefined) throw currencyError('RATE_UNKNOWN', { from, to })
  return found
}

/** The last known rate however old it is, for limits: a source that went silent must not switch a limit off. */
export async function findLastRate(db: Db, from: string, to: string, clock: Clock): Promise<QuotedRate | undefined> {
  if (from === to) return same(clock())
  return pick(await findRates(db, [...new Set([from, to, pivot])]), from, to)
}

/** The newest rate that anybody said for this very pair, in either direction. */
export async function findNewestRate(db: Db, from: string, to: string): Promise<QuotedRate | undefined> {
  const [newest] = (await findRates(db, [from, to])).filter((word) => word.from !== word.to)
  return newest && between([newest], from, to)
}

function same(at: Date): QuotedRate {
  return { rate: { numerator: 1n, denominator: 1n }, source: 'same', saidAt: at }
}

function pick(said: SaidRate[], from: string, to: string): QuotedRate | undefined {
  return between(said, from, to) ?? through(said, from, to)
}

/** What the operator says by hand counts until it is too old, whatever others say. Among others the newest word counts. */
function between(said: SaidRate[], from: string, to: string): QuotedRate | undefined {
  const about = said.filter((word) => (word.from === from && word.to === to) || (word.from === to && word.to === from))
  const word = about.find(({ source }) => source === 'manual') ?? about[0]
  if (word === undefined) return undefined
  const { numerator, denominator } = parseRate(word.rate)
  const rate = word.from === from ? { numerator, denominator } : { numerator: denominator, denominator: numerator }
  return { rate, source: word.source, saidAt: word.saidAt }
}

function through(said: SaidRate[], from: string, to: string): QuotedRate | undefined {
  const first = between(said, from, pivot)
  const second = between(said, pivot, to)
  if (first === undefined || second === undefined) return undefined
  return {
    rate: {
      numerator: first.rate.numerator * second.rate.numerator,
      denominator: first.rate.denominator * second.rate.denominator,
    },
    source: `${first.source}+${second.source}`,
    saidAt: first.saidAt < second.saidAt ? first.saidAt : second.saidAt,
  }
}

/** The operator's own word. */
export async function setManualRate(db: Db, from: string, to: string, rate: string, clock: Clock): Promise<void> {
  parseRate(rate)
  await saveRate(db, { from, to, source: 'manual', rate, saidAt: clock() })
}
