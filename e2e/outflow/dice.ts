// Random choices that a printed seed repeats.
export type Dice = {
  /** A whole number, both ends included. */
  readonly between: (low: number, high: number) => number
  readonly isOneIn: (count: number) => boolean
  readonly pick: <T>(from: readonly T[]) => T | undefined
}

export function createDice(seed: number): Dice {
  let state = seed | 0
  /** Mulberry32, from 0 to below 1. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    between,
    isOneIn: (count) => between(1, count) === 1,
    pick: (from) => from[between(0, from.length - 1)],
  }
}
