/**
 * day: the day and the year. time: the time alone. moment: the day and the time, with the year unless it is today.
 * receipt: the day, the year, the time and the name of the time zone.
 */
export type MomentForm = 'day' | 'time' | 'moment' | 'receipt'

export type MomentFormat = {
  readonly writeMoment: (date: Date, form: MomentForm, zone?: string) => string
  readonly writeExactly: (date: Date, zone?: string) => string
}

type FormatName = 'exact' | 'day' | 'time' | 'dayAndMonth' | 'shortDay' | 'receipt' | 'numericDay'

const formatOptions: Readonly<Record<FormatName, Intl.DateTimeFormatOptions>> = {
  exact: { dateStyle: 'full', timeStyle: 'long' },
  day: { dateStyle: 'long' },
  time: { timeStyle: 'short' },
  dayAndMonth: { day: 'numeric', month: 'short' },
  shortDay: { dateStyle: 'medium' },
  receipt: {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  },
  numericDay: { year: 'numeric', month: '2-digit', day: '2-digit' },
}

export function createMomentFormat(locale: string | undefined, readNow: () => Date = () => new Date()): MomentFormat {
  // Creating a format is slow enough to notice in a table.
  const formats = new Map<string, Intl.DateTimeFormat>()

  function format(name: FormatName, date: Date, timeZone: string | undefined): string {
    const key = `${name} ${timeZone ?? ''}`
    const found = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...formatOptions[name], timeZone })
    formats.set(key, found)
    return found.format(date)
  }

  function writeMoment(date: Date, form: MomentForm, zone?: string): string {
    if (form !== 'moment') return format(form, date, zone)
    const isToday = format('numericDay', date, zone) === format('numericDay', readNow(), zone)
    return `${format(isToday ? 'dayAndMonth' : 'shortDay', date, zone)}, ${format('time', date, zone)}`
  }

  return { writeMoment, writeExactly: (date, zone) => format('exact', date, zone) }
}
