import { expect, test } from 'vitest'
import { lastDayOf } from './expiry.ts'

test("the last day of a voucher is a day in the issuer's time zone, east and west of Greenwich", () => {
  const end = new Date('2032-01-01T05:00:00Z')
  expect(lastDayOf(end, 'America/New_York')).toBe('2031-12-31')
  expect(lastDayOf(new Date('2031-12-31T15:00:00Z'), 'Asia/Tokyo')).toBe('2031-12-31')
  expect(lastDayOf(new Date('2031-12-31T23:00:00Z'), 'Africa/Lagos')).toBe('2031-12-31')
})
