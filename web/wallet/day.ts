import { locale } from '../ui/locale.ts'
import { words } from './words.ts'

const day = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' })
const dayAndYear = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

/** A day as the heading of a list: Today, Yesterday, or "Friday 13 November", with the year if it is another one. */
function nameOfDay(date: Date, now: Date): string {
  if (isSameDay(date, now)) return words.activity.today
  const yesterday = new Date(now)
  yesterday.setDate(now.getDate() - 1)
  if (isSameDay(date, yesterday)) return words.activity.yesterday
  return (date.getFullYear() === now.getFullYear() ? day : dayAndYear).format(date)
}

function isSameDay(a: Date, b: Date): boolean {
  return a.toDateString() === b.toDateString()
}

type Dated = { readonly at: string }
export type Day<Entry> = { readonly name: string; readonly entries: readonly Entry[] }

/** Groups entries that are sorted by time by the days of the user's time zone. */
export function groupByDay<Entry extends Dated>(entries: readonly Entry[]): readonly Day<Entry>[] {
  const now = new Date()
  const days: { readonly name: string; readonly entries: Entry[] }[] = []
  for (const entry of entries) {
    const name = nameOfDay(new Date(entry.at), now)
    const last = days.at(-1)
    if (last?.name === name) last.entries.push(entry)
    else days.push({ name, entries: [entry] })
  }
  return days
}
