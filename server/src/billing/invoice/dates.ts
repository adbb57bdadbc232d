import { offsetMs } from '../../base/zone.ts'
import { dayForm, isReal, timeForm } from '../../vouchers/voucher/expiry.ts'

// Keeps dates in every time zone within what PostgreSQL and RFC 3339 can write.
const yearMin = 1900
const yearMax = 9998

/** Reads a time, or the start of a day in a time zone. Returns undefined if it is neither, or out of range. */
export function readDay(text: string, timeZone: string): Date | undefined {
  const at = readTime(text, timeZone)
  const year = at?.getUTCFullYear() ?? 0
  return year >= yearMin && year <= yearMax ? at : undefined
}

function readTime(text: string, timeZone: string): Date | undefined {
  if (!isReal(text)) return undefined
  if (!dayForm.test(text)) return timeForm.test(text) ? new Date(text) : undefined
  const day = new Date(text)
  // Local midnight is UTC midnight minus the offset. The second guess is right on days when the clocks change.
  const first = new Date(day.getTime() - offsetMs(day, timeZone))
  return new Date(day.getTime() - offsetMs(first, timeZone))
}

export function yearIn(at: Date, timeZone: string): number {
  return new Date(at.getTime() + offsetMs(at, timeZone)).getUTCFullYear()
}
