// Random choices that a printed seed repeats.
import { createRandom } from '../../server/local/parts/seeded-random.ts'

export type Dice = {
  /** A whole number, both ends included. */
  readonly between: (low: number, high: number) => number
  readonly isOneIn: (count: number) => boolean
  readonly pick: <T>(from: readonly T[]) => T | undefined
}

export function createDice(seed: number): Dice {
  const next = createRandom(seed)
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    between,
    isOneIn: (count) => between(1, count) === 1,
    pick: (from) => from[between(0, from.length - 1)],
  }
}
