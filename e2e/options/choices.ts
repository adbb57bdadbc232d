// The player's random choices: how much to risk, and when to test whether the platform accepts a price it should refuse.
import type { Temper } from './foresight.ts'
import type { Dice } from './market.ts'

export function chooseTemper(dice: Dice): Temper {
  return dice(3) === 0 ? 'greedy' : 'careful'
}

/** True one time in `oneIn`. */
export function chooseSeldom(dice: Dice, oneIn: number): boolean {
  return dice(oneIn) === 0
}

/** From 100 US dollars to `dollarsMax`, in cents. */
export function chooseCents(dice: Dice, dollarsMax: number): bigint {
  return BigInt(100_00 + dice((dollarsMax - 100) * 100))
}
