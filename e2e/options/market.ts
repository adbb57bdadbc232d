// Rates that follow a seeded random walk, and the value of amounts at these rates. Integers only: no float touches money.
import { createSeededRandom } from '../../server/src/base/random.ts'

export type Code = 'USD' | 'EUR' | 'ETH'
export type Pair = { readonly from: Code; readonly to: Code }

/** A tick of the walk: the price of one unit of each currency, in millionths of a US dollar. */
export type Market = { readonly at: Date; readonly micro: Readonly<Record<Code, bigint>> }

export const decimals: Readonly<Record<Code, number>> = { USD: 2, EUR: 2, ETH: 18 }

/** Whole numbers below a limit, the same for the same seed. */
export type Dice = (limit: number) => number

export function createDice(seed: string): Dice {
  const random = createSeededRandom(seed)
  return (limit) => random(4).readUInt32BE() % limit
}

const million = 1_000_000n
/** Small steps are more likely: many ticks must end just within the tolerance of 0.2 %, or just outside. */
const stepsPpm = [500, 500, 1_000, 1_000, 1_500, 2_000, 2_000, 3_000, 5_000, 10_000]
const jumpPpm = 30_000
const jumpOneIn = 50
const ticksPerDay = 40
const tickSecondsMin = 10
const tickSecondsMax = 60
const dayMs = 86_400_000
const noonMs = dayMs / 2
/** A walk that reaches a bound turns back, so that amounts stay within what the platform accepts. */
const bounds = {
  EUR: { first: 1_083_500n, low: 800_000n, high: 1_400_000n },
  ETH: { first: 2_500_000_000n, low: 1_000_000_000n, high: 5_000_000_000n },
} as const

/** Each call returns the next day (UTC). Daily limits start again, and the player knows all ticks in advance. */
export function createWalk(seed: string, firstMidnight: Date): () => Market[] {
  const dice = createDice(`walk/${seed}`)
  const micro: Record<Code, bigint> = { USD: million, EUR: bounds.EUR.first, ETH: bounds.ETH.first }
  let midnightMs = firstMidnight.getTime() - dayMs
  const step = (now: bigint, { low, high }: { readonly low: bigint; readonly high: bigint }): bigint => {
    const ppm = BigInt(dice(jumpOneIn) === 0 ? jumpPpm : (stepsPpm[dice(stepsPpm.length)] ?? 0))
    const isUp = now < low || (now < high && dice(2) === 0)
    return (now * (isUp ? million + ppm : million - ppm)) / million
  }
  return () => {
    midnightMs += dayMs
    let atMs = midnightMs + noonMs
    return Array.from({ length: ticksPerDay }, () => {
      atMs += 1_000 * (tickSecondsMin + dice(tickSecondsMax - tickSecondsMin + 1))
      micro.EUR = step(micro.EUR, bounds.EUR)
      micro.ETH = step(micro.ETH, bounds.ETH)
      return { at: new Date(atMs), micro: { ...micro } }
    })
  }
}

/** A rate to US dollars as the platform records it. */
export function rateText({ micro }: Market, code: Code): string {
  return `${micro[code] / million}.${String(micro[code] % million).padStart(6, '0')}`
}

/** US cents in units so small that the value of every amount is a whole number. */
export type Value = bigint
export const unitsPerCent = 10n ** 24n

export function valueOf(minor: bigint, code: Code, { micro }: Market): Value {
  return minor * micro[code] * 10n ** BigInt(20 - decimals[code])
}

/** The amount that is worth so many cents, rounded down to the currency's smallest unit. */
export function worthCents(cents: bigint, code: Code, { micro }: Market): bigint {
  return (cents * unitsPerCent) / (micro[code] * 10n ** BigInt(20 - decimals[code]))
}

/** Whole cents, rounded up: a gain is never shown as less than it is. */
export function centsUp(value: Value): bigint {
  const cents = value / unitsPerCent
  return value > cents * unitsPerCent ? cents + 1n : cents
}
