/** How many wrong PINs were entered. */
export type PinCount = { readonly wrongInRow: number; readonly wrongInAll: number; readonly lockedUntil: Date | null }

export type Tried = {
  readonly verdict: 'right' | 'wrong' | 'locked' | 'frozen' | 'sealed'
  readonly count: PinCount
  /** Whether this attempt froze it. */
  readonly froze: boolean
}

const lockMs = 15 * 60 * 1_000
const inRowMax = 5
export const inAllMax = 10

/** Compares the PIN only while attempts remain. A right PIN resets the row; only a new PIN or a reset clears the total. */
export function tryPin(count: PinCount, isRight: () => boolean, at: Date): Tried {
  if (count.wrongInAll >= inAllMax) return { verdict: 'frozen', count, froze: false }
  if (count.lockedUntil !== null && count.lockedUntil > at) return { verdict: 'locked', count, froze: false }
  const inRow = count.lockedUntil === null ? count.wrongInRow : 0
  if (isRight()) return { verdict: 'right', count: { ...count, wrongInRow: 0, lockedUntil: null }, froze: false }
  const wrongInRow = inRow + 1
  const wrongInAll = count.wrongInAll + 1
  const lockedUntil = wrongInRow >= inRowMax ? new Date(at.getTime() + lockMs) : null
  return { verdict: 'wrong', count: { wrongInRow, wrongInAll, lockedUntil }, froze: wrongInAll === inAllMax }
}
