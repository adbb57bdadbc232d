import { expect, test } from 'vitest'
import { createManualClock } from '../base/clock.ts'
import { createMemoryLimits, networkOf } from './limit.ts'

test('allows a burst up to the limit, counts names separately, and starts again after the window', async () => {
  const clock = createManualClock(new Date('2026-01-01T00:00:00Z'))
  const limit = createMemoryLimits(clock).createLimit('test', 3, 60_000)
  const burst = await Promise.all(Array.from({ length: 5 }, () => limit.count('a')))
  expect(burst.map(({ isWithin }) => isWithin)).toEqual([true, true, true, false, false])
  expect(burst.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0])
  clock.advance(15_000)
  expect(await limit.count('a')).toMatchObject({ isWithin: false, secondsLeft: 45 })
  expect((await limit.count('b')).isWithin).toBe(true)
  clock.advance(45_000)
  expect(await limit.count('a')).toMatchObject({ isWithin: true, remaining: 2, secondsLeft: 60 })
})

test('look does not count', async () => {
  const limit = createMemoryLimits(createManualClock(new Date(0))).createLimit('test', 1, 1_000)
  for (let i = 0; i < 5; i++) expect((await limit.look('a')).isWithin).toBe(true)
  await limit.count('a')
  expect((await limit.look('a')).isWithin).toBe(false)
})

test('counts at most 100,000 names', async () => {
  const limit = createMemoryLimits(createManualClock(new Date(0))).createLimit('test', 1, 1_000)
  for (let i = 0; i <= 100_000; i++) await limit.count(`name ${i}`)
  expect((await limit.count('name 2')).isWithin).toBe(false)
  expect((await limit.count('name 0')).isWithin).toBe(true)
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
