import { type ReactNode, useId, useState } from 'react'
import { locale } from '../ui/locale.ts'
import { words } from './words.ts'

type DateFieldProps = {
  readonly label: string
  /** Such as 2031-12-31. Empty if the parts are no date. */
  readonly value: string
  readonly error: string
  readonly onDate: (date: string) => void
}

type Part = 'day' | 'month' | 'year'
type Parts = Readonly<Record<Part, string>>

/**
 * Day, month and year, in the order and with the month names of the page's language. The browser's own date field follows the
 * browser's language, which may be another one.
 */
export function DateField({ label, value, error, onDate }: DateFieldProps): ReactNode {
  const id = useId()
  const [parts, setParts] = useState(() => splitDate(value))
  const change = (part: Part, typed: string) => {
    const changed = { ...parts, [part]: typed }
    setParts(changed)
    onDate(joinDate(changed))
  }
  const props = (part: Part) => ({
    'aria-label': words.form[part],
    'aria-invalid': error !== '' || undefined,
    'aria-describedby': error === '' ? undefined : `${id}-error`,
    className: 'field-input',
    value: parts[part],
  })
  return (
    <div className="field" role="group" aria-labelledby={`${id}-label`}>
      <span className="field-label" id={`${id}-label`}>
        {label}
      </span>
      <div className="invoice-date" data-order={partOrder.join(' ')}>
        {partOrder.map((part) =>
          part === 'month' ? (
            <select key={part} {...props(part)} onChange={(event) => change(part, event.target.value)}>
              {monthNames.map((name, i) => (
                <option key={name} value={String(i + 1)}>
                  {name}
                </option>
              ))}
            </select>
          ) : (
            <input
              key={part}
              {...props(part)}
              inputMode="numeric"
              autoComplete="off"
              maxLength={part === 'day' ? 2 : 4}
              onChange={(event) => change(part, event.target.value.replaceAll(/\D/g, ''))}
            />
          ),
        )}
      </div>
      {error !== '' && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

const monthFormat = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' })
const monthNames = Array.from({ length: 12 }, (_, month) => monthFormat.format(Date.UTC(2000, month)))

const partOrder: readonly Part[] = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })
  .formatToParts(0)
  .flatMap(({ type }) => (type === 'day' || type === 'month' || type === 'year' ? [type] : []))

function splitDate(date: string): Parts {
  const [year = '', month = '', day = ''] = date.split('-').map((part) => String(Number(part)))
  return { day, month, year }
}

/** Empty if there is no such day, such as 31 June. */
function joinDate({ day, month, year }: Parts): string {
  const text = `${year.padStart(4, '0')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const date = new Date(`${text}T00:00:00Z`)
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text ? '' : text
}
