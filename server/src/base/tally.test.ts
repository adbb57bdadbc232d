import { expect, test } from 'vitest'
import { addTo, createTally } from './tally.ts'

test('a value counts under the lowest bound that it does not exceed, and above all bounds in the last place', () => {
  const tally = createTally([1, 10])
  for (const value of [0, 1, 1.5, 10, 11]) addTo(tally, value)
  expect(tally.counts).toEqual([2, 2, 1])
  expect(tally.sum).toBe(23.5)
})
