// What the player leaves to chance: how much to risk, and when to test whether the platform keeps a price it should not keep.
import type { Temper } from './foresight.ts'
import type { Dice } from './market.ts'

export function chooseTemper(dice: Dice): Temper {
  return dice(3) === 0 ? 'greedy' : 'careful'
}

/** Whether to do what is done one time in so many. */
export function chooseSeldom(dice: Dice, oneIn: number): boolean {
  return dice(oneIn) === 0
}

/** From 100 US dollars up to a number of them. */
export function chooseCents(dice: Dice, dollarsMax: number): bigint {
  return BigInt(100_00 + dice((dollarsMax - 100) * 100))
}
