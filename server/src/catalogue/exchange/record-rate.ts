import type { Db } from '../../base/db.ts'
import { parseRate, type Rate } from '../../base/money.ts'
import { findNewestRate } from '../currency/rates.ts'
import { type SourceRate, saveRate } from '../currency/store.ts'
import { findTerms, holdRate, takeHeldRate } from './store.ts'

export type Recorded = { readonly rate: SourceRate; readonly isHeld: boolean }

/**
 * Saves a fetched rate, or holds it for the operator if it jumps further than the pair's band from the newest known
 * rate.
 */
export async function recordRate(db: Db, fetched: SourceRate): Promise<Recorded> {
  const isHeld = await isBeyondBand(db, fetched)
  if (isHeld) await holdRate(db, fetched)
  else {
    await saveRate(db, fetched)
    // An earlier held rate of this source is obsolete.
    await takeHeldRate(db, fetched.from, fetched.to, fetched.source)
  }
  return { rate: fetched, isHeld }
}

/**
 * Whether a rate is further from the newest known one than the pair's band allows. The first rate of a pair never is.
 */
export async function isBeyondBand(
  db: Db,
  { from, to, rate }: Pick<SourceRate, 'from' | 'to' | 'rate'>,
): Promise<boolean> {
  const known = await findNewestRate(db, from, to)
  if (known === undefined) return false
  const { bandPpm } = await findTerms(db, from, to)
  return differsByMore(known.rate, parseRate(rate), bandPpm)
}

function differsByMore(known: Rate, fetched: Rate, bandPpm: bigint): boolean {
  const before = known.numerator * fetched.denominator
  const now = fetched.numerator * known.denominator
  const difference = now > before ? now - before : before - now
  return difference * 1_000_000n > before * bandPpm
}

/** Accepts a held rate for the operator. Its age counts from its own time, not from now. */
export async function acceptHeldRate(
  db: Db,
  from: string,
  to: string,
  source: string,
): Promise<SourceRate | undefined> {
  const held = await takeHeldRate(db, from, to, source)
  if (held !== undefined) await saveRate(db, held)
  return held
}
