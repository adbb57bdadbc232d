import { locale } from '../../ui/locale.ts'

type DayForm = 'full' | 'short' | 'dayMonth'

const dayMs = 86_400_000

/** A day such as 2026-03-01 belongs to no time zone: it is counted and written in UTC. */
function toNoon(day: string): Date {
  return new Date(`${day}T12:00:00Z`)
}

export function addDays(day: string, count: number): string {
  return new Date(toNoon(day).getTime() + count * dayMs).toISOString().slice(0, 10)
}

const shortOptions = { weekday: 'short', day: 'numeric', month: 'short' } as const
const full = createFormat({ dateStyle: 'full' })
const short = createFormat(shortOptions)
const shortWithYear = createFormat({ ...shortOptions, year: 'numeric' })
const dayMonth = createFormat({ day: 'numeric', month: 'short' })

function createFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
}

/** A day with its weekday. The short form has the year only if it is not this year. */
export function writeDay(day: string, form: DayForm = 'full'): string {
  const isThisYear = day.startsWith(String(new Date().getFullYear()))
  const formats = { full, short: isThisYear ? short : shortWithYear, dayMonth }
  return formats[form].format(toNoon(day))
}

/** The day of a time in a time zone, such as 2026-03-01. */
export function dayIn(timeZone: string, at: Date): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at)
}

/** Today, yesterday, or the day with its weekday. */
export function nameDay(day: string, today: string): string {
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const named = day === today ? relative.format(0, 'day') : day === addDays(today, -1) ? relative.format(-1, 'day') : ''
  return named === '' ? writeDay(day) : `${named.charAt(0).toUpperCase()}${named.slice(1)}`
}
