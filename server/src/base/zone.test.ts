import { expect, test } from 'vitest'
import { writeInZone } from './zone.ts'

test('a time is written with the offset that its zone has at that time', () => {
  const write = (text: string, timeZone: string) => writeInZone(new Date(text), timeZone)
  expect(write('2026-03-29T00:59:59Z', 'Europe/Berlin')).toBe('2026-03-29T01:59:59+01:00')
  expect(write('2026-03-29T12:05:00Z', 'Europe/Berlin')).toBe('2026-03-29T14:05:00+02:00')
  expect(write('2026-07-01T00:00:00Z', 'America/St_Johns')).toBe('2026-06-30T21:30:00-02:30')
  expect(write('2026-07-01T00:00:00Z', 'Asia/Kathmandu')).toBe('2026-07-01T05:45:00+05:45')
  expect(write('2026-07-01T00:00:00Z', 'UTC')).toBe('2026-07-01T00:00:00+00:00')
})
