import { locale } from '../ui/locale.ts'

const dayMs = 86_400_000

/** Days such as 2026-03-01 belong to no zone: they are counted and written as if in Greenwich. */
function atNoon(day: string): Date {
  return new Date(`${day}T12:00:00Z`)
}

export function addDays(day: string, count: number): string {
  return new Date(atNoon(day).getTime() + count * dayMs).toISOString().slice(0, 10)
}

const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' })
const short = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })

export function writeDay(day: string, form: 'full' | 'short' | 'weekday' = 'full'): string {
  return { full, short, weekday }[form].format(atNoon(day))
}
