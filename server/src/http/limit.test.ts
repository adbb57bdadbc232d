import { expect, test } from 'vitest'
import { createManualClock } from '../base/clock.ts'
import { createLimit, networkOf } from './limit.ts'

test('of a burst those within the limit are let through; others are not touched; it begins anew after its window', () => {
  const clock = createManualClock(new Date('2026-01-01T00:00:00Z'))
  const limit = createLimit(clock, 3, 60_000)
  const burst = Array.from({ length: 5 }, () => limit.count('a'))
  expect(burst.map(({ isWithin }) => isWithin)).toEqual([true, true, true, false, false])
  expect(burst.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0])
  clock.advance(15_000)
  expect(limit.count('a')).toMatchObject({ isWithin: false, secondsLeft: 45 })
  expect(limit.count('b').isWithin).toBe(true)
  clock.advance(45_000)
  expect(limit.count('a')).toMatchObject({ isWithin: true, remaining: 2, secondsLeft: 60 })
})

test('looking counts nothing', () => {
  const limit = createLimit(createManualClock(new Date(0)), 1, 1_000)
  for (let i = 0; i < 5; i++) expect(limit.look('a').isWithin).toBe(true)
  limit.count('a')
  expect(limit.look('a').isWithin).toBe(false)
})

test('a hundred thousand names are kept, and no more', () => {
  const limit = createLimit(createManualClock(new Date(0)), 1, 1_000)
  for (let i = 0; i <= 100_000; i++) limit.count(`name ${i}`)
  expect(limit.count('name 2').isWithin).toBe(false)
  expect(limit.count('name 0').isWithin).toBe(true)
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
