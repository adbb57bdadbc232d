import { expect, test } from 'vitest'
import { createManualClock, systemClock } from './clock.ts'
import { createIds, timeOfId } from './id.ts'
import { createSeededRandom, systemRandom } from './random.ts'

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('ids are unique UUIDv7s that increase strictly, even within a millisecond', () => {
  const newId = createIds(systemClock, systemRandom)
  const ids = Array.from({ length: 20_000 }, newId)
  expect(ids.every((id) => form.test(id))).toBe(true)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
})

test('an id starts with its time', () => {
  const clock = createManualClock(new Date('2026-03-01T12:00:00.123Z'))
  const id = createIds(clock, systemRandom)()
  expect(parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(clock().getTime())
})

test('ids keep increasing when the clock steps back', () => {
  const times = [2000, 1000, 1000].map((ms) => new Date(ms))
  const newId = createIds(() => times.shift() ?? new Date(0), systemRandom)
  const ids = [newId(), newId(), newId()]
  expect(ids.toSorted()).toEqual(ids)
})

test('the same seed gives the same ids, another seed gives others', () => {
  const make = (seed: string) => createIds(createManualClock(new Date(0)), createSeededRandom(seed))()
  expect(make('a')).toBe(make('a'))
  expect(make('a')).not.toBe(make('b'))
})

test('timeOfId returns the creation time', () => {
  const at = new Date('2026-03-04T05:06:07.089Z')
  expect(timeOfId(createIds(createManualClock(at), systemRandom)())).toEqual(at)
})
