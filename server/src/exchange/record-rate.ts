import type { Db } from '../base/db.ts'
import { parseRate, type Rate } from '../base/money.ts'
import { findNewestRate } from '../currency/rates.ts'
import { type SaidRate, saveRate } from '../currency/store.ts'
import { findTerms, holdRate, takeHeldRate } from './store.ts'

export type Recorded = { readonly rate: SaidRate; readonly isHeld: boolean }

/** Saves a fetched rate, or holds it for the operator if it jumps further than the pair's band from the newest known rate. */
export async function recordRate(db: Db, said: SaidRate): Promise<Recorded> {
  const isHeld = await isBeyondBand(db, said)
  if (isHeld) await holdRate(db, said)
  else {
    await saveRate(db, said)
    // An earlier jump of this source is over.
    await takeHeldRate(db, said.from, said.to, said.source)
  }
  return { rate: said, isHeld }
}

/** Whether a rate is further from the newest known one than the pair's band allows. The first rate of a pair never is. */
export async function isBeyondBand(
  db: Db,
  { from, to, rate }: Pick<SaidRate, 'from' | 'to' | 'rate'>,
): Promise<boolean> {
  const known = await findNewestRate(db, from, to)
  if (known === undefined) return false
  const { bandPpm } = await findTerms(db, from, to)
  return differsByMore(known.rate, parseRate(rate), bandPpm)
}

function differsByMore(known: Rate, said: Rate, bandPpm: bigint): boolean {
  const [before, now] = [known.numerator * said.denominator, said.numerator * known.denominator]
  const difference = now > before ? now - before : before - now
  return difference * 1_000_000n > before * bandPpm
}

/** The operator accepts a held rate. It counts from the time at which it was said. */
export async function acceptHeldRate(db: Db, from: string, to: string, source: string): Promise<SaidRate | undefined> {
  const held = await takeHeldRate(db, from, to, source)
  if (held !== undefined) await saveRate(db, held)
  return held
}
