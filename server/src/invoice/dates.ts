import { dayForm, isReal, timeForm } from '../voucher/expiry.ts'

/** A time as it is, or the beginning of a day in a zone. What is neither is nothing. */
export function readDay(text: string, timeZone: string): Date | undefined {
  if (!isReal(text)) return undefined
  if (!dayForm.test(text)) return timeForm.test(text) ? new Date(text) : undefined
  const day = new Date(text)
  // Midnight there is midnight of Greenwich less the offset of then; of two guesses the second is right at a change of clocks.
  const first = new Date(day.getTime() - offsetMs(day, timeZone))
  return new Date(day.getTime() - offsetMs(first, timeZone))
}

/** RFC 3339 with the offset of the zone: 2030-01-01T00:00:00+01:00. */
export function writeDay(at: Date, timeZone: string): string {
  const offset = offsetMs(at, timeZone)
  const local = new Date(at.getTime() + offset).toISOString().slice(0, 19)
  const minutes = Math.abs(offset) / 60_000
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

export function yearIn(at: Date, timeZone: string): number {
  return new Date(at.getTime() + offsetMs(at, timeZone)).getUTCFullYear()
}

function offsetMs(at: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
