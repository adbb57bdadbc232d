import { locale } from '../../ui/locale.ts'

type DayForm = 'full' | 'short' | 'weekday'

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
const weekday = createFormat({ weekday: 'long' })

function createFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
}

/** A day with its weekday. The short form has the year only if it is not this year. */
export function writeDay(day: string, form: DayForm = 'full'): string {
  const isThisYear = day.startsWith(String(new Date().getFullYear()))
  const formats = { full, short: isThisYear ? short : shortWithYear, weekday }
  return formats[form].format(toNoon(day))
}
