import { locale } from './locale.ts'

type MomentProps = {
  readonly at: string | Date
  /** A day in full, a day and a time, or the time alone. */
  readonly form?: 'day' | 'moment' | 'time'
}

/** A time in the reader's zone and way of writing; the exact one appears on hover. */
export function Moment({ at, form = 'moment' }: MomentProps) {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return null
  return (
    <time dateTime={date.toISOString()} title={exactly.format(date)}>
      {writeMoment(date, form)}
    </time>
  )
}

export function writeMoment(date: Date, form: 'day' | 'moment' | 'time'): string {
  if (form === 'day') return day.format(date)
  if (form === 'time') return time.format(date)
  const isThisYear = date.getFullYear() === new Date().getFullYear()
  return `${(isThisYear ? dayOfYear : shortDay).format(date)}, ${time.format(date)}`
}

const exactly = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' })
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })
const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const shortDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const dayOfYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
