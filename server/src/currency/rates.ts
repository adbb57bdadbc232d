import type { Clock } from '../base/clock.ts'
import type { Db } from '../base/db.ts'
import { parseRate, type Rate } from '../base/money.ts'
import { currencyError } from './errors.ts'
import { findRates, type SaidRate, saveRate } from './store.ts'

/** A rate with where it comes from and how old it is: what a quote has to keep. */
export type QuotedRate = { readonly rate: Rate; readonly source: string; readonly saidAt: Date }

type RateRule = {
  /** Older than this is not used. */
  readonly ageMaxMs: number
  /** The currency that rates go through where none is said directly. */
  readonly pivot: string
}

const defaultRateRule: RateRule = { ageMaxMs: 60 * 60 * 1_000, pivot: 'USD' }

/**
 * What 1 of one currency is in another: said directly, or said the other way round, or through the pivot. A same-currency
 * payment needs no rate, so no dead source can stop it.
 */
export async function findRate(
  db: Db,
  from: string,
  to: string,
  clock: Clock,
  rule = defaultRateRule,
): Promise<QuotedRate> {
  const now = clock()
  if (from === to) return { rate: { numerator: 1n, denominator: 1n }, source: 'same', saidAt: now }
  const since = new Date(now.getTime() - rule.ageMaxMs)
  const said = await findRates(db, [...new Set([from, to, rule.pivot])], since)
  const found = between(said, from, to) ?? through(said, from, rule.pivot, to)
  if (found === undefined) throw currencyError('RATE_UNKNOWN', { from, to })
  return found
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

function through(said: SaidRate[], from: string, pivot: string, to: string): QuotedRate | undefined {
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
