import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db.ts'
import { divide, type Rate } from '../../base/money.ts'
import { findRate, type QuotedRate } from '../currency/rates.ts'
import { exchangeError } from './errors.ts'
import { findTerms, readRules } from './store.ts'

/** The price of a conversion: the market rate minus the pair's spread. */
export type Price = QuotedRate & {
  readonly spreadPpm: bigint
  readonly tolerancePpm: bigint
}

const million = 1_000_000n

/** The current price, used by every conversion for a customer. The same currency is always 1 to 1. */
export async function findPrice(db: Db, from: string, to: string, clock: Clock): Promise<Price> {
  const market = await findRate(db, from, to, clock)
  if (from === to) return { ...market, spreadPpm: 0n, tolerancePpm: 0n }
  const { isStopped } = await readRules(db)
  if (isStopped) throw exchangeError('EXCHANGE_STOPPED')
  const { spreadPpm, tolerancePpm } = await findTerms(db, from, to)
  return { ...market, rate: takeSpread(market.rate, spreadPpm), spreadPpm, tolerancePpm }
}

function takeSpread({ numerator, denominator }: Rate, spreadPpm: bigint): Rate {
  return { numerator: numerator * (million - spreadPpm), denominator: denominator * million }
}

/** The market rate that a price was made from. */
export function marketRate({ rate, spreadPpm }: Pick<Price, 'rate' | 'spreadPpm'>): Rate {
  return { numerator: rate.numerator * million, denominator: rate.denominator * (million - spreadPpm) }
}

/**
 * Whether the market has moved against the desk by more than the tolerance since a price was promised. Because a
 * pair's spread is at least its tolerance, a promise that passes this check never gives away more than it takes at
 * the market rate.
 */
export function hasMovedAgainstDesk(promised: Rate, now: Price): boolean {
  const { rate, tolerancePpm } = now
  return (
    rate.numerator * promised.denominator * million < promised.numerator * rate.denominator * (million - tolerancePpm)
  )
}

/**
 * What is given back of an amount that was converted at one market rate: less, if what it was converted to is worth less now. Giving it
 * back at the old rate would be a free option on the exchange desk.
 */
export function valueNow(amount: bigint, then: Rate, now: Rate): bigint {
  const before = then.numerator * now.denominator
  const after = now.numerator * then.denominator
  return after <= before ? amount : divide(amount * before, after, 'down')
}
