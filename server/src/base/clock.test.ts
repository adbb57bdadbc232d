import { expect, test } from 'vitest'
import { createManualClock } from './clock.ts'

test('a manual clock moves only by advance, and never backwards', () => {
  const clock = createManualClock(new Date(1000))
  clock.advance(500)
  expect(clock().getTime()).toBe(1500)
  expect(() => clock.advance(-1)).toThrow(RangeError)
})
