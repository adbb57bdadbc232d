import { locale } from './locale.ts'

type Form = 'day' | 'moment' | 'time'
type MomentProps = {
  readonly at: string | Date
  /** A day in full, a day and a time, or the time alone. */
  readonly form?: Form
  /** Of a place such as a shop. None: the reader's. */
  readonly zone?: string | undefined
}

/** A time in the reader's zone or that of a place, in the reader's way of writing; the exact one appears on hover. */
export function Moment({ at, form = 'moment', zone }: MomentProps) {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return null
  return (
    <time dateTime={date.toISOString()} title={formatsIn(zone).exactly.format(date)}>
      {writeMoment(date, form, zone)}
    </time>
  )
}

export function writeMoment(date: Date, form: Form, zone?: string): string {
  const { day, time, year, shortDay, dayOfYear } = formatsIn(zone)
  if (form === 'day') return day.format(date)
  if (form === 'time') return time.format(date)
  const isThisYear = year.format(date) === year.format(new Date())
  return `${(isThisYear ? dayOfYear : shortDay).format(date)}, ${time.format(date)}`
}

/** Making one takes long enough to be felt in a table. */
const known = new Map<string | undefined, ReturnType<typeof makeFormats>>()

function formatsIn(zone: string | undefined) {
  const formats = known.get(zone) ?? makeFormats(zone)
  known.set(zone, formats)
  return formats
}

function makeFormats(timeZone: string | undefined) {
  const make = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, ...(timeZone !== undefined && { timeZone }) })
  return {
    exactly: make({ dateStyle: 'full', timeStyle: 'long' }),
    day: make({ dateStyle: 'long' }),
    time: make({ timeStyle: 'short' }),
    year: make({ year: 'numeric' }),
    shortDay: make({ dateStyle: 'medium' }),
    dayOfYear: make({ day: 'numeric', month: 'short' }),
  }
}
