import { type CalendarDate, parseDate, toCalendarDate } from '@internationalized/date'
import { CalendarDays, ChevronLeft, ChevronRight } from 'lucide-react'
import { Fragment, type ReactNode, useContext, useEffect, useEffectEvent, useState } from 'react'
import {
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  type DateFieldState,
  DateFieldStateContext,
  DateInput,
  DatePicker as AriaDatePicker,
  DateSegment,
  Dialog,
  FieldError,
  Group,
  Heading,
  I18nProvider,
  Label,
  Popover,
  Text,
} from 'react-aria-components'
import type { DateFieldProps } from './date-field.tsx'
import './date-picker.css'
import { locale } from './locale.ts'
import './pressable.ts'

// In the calendar that everything else uses, also where another one is usual.
const dateLocale = new Intl.Locale(locale, { calendar: 'gregory' }).toString()

/** A date that is typed part by part, or chosen in a calendar. */
export default function DatePicker(props: DateFieldProps): ReactNode {
  const { label, hint = '', error = '', value, min, max, onDay } = props
  const [shown, setShown] = useState({ value, day: readDay(value), isPartial: false })
  // A form that stores an incomplete date as an empty one does not clear the parts that were typed.
  if (shown.value !== value)
    setShown({ ...shown, value, ...(!(value === '' && shown.isPartial) && { day: readDay(value) }) })
  const report = (day: string | undefined): void => {
    setShown((last) => ({ ...last, isPartial: day === undefined }))
    if (shown.isPartial || day !== value) onDay(day)
  }
  return (
    <I18nProvider locale={dateLocale}>
      <AriaDatePicker
        className="field"
        value={shown.day}
        minValue={readDay(min)}
        maxValue={readDay(max)}
        isInvalid={error !== ''}
        shouldForceLeadingZeros
        onChange={(day) => setShown((last) => ({ ...last, day }))}
      >
        <Label className="field-label">{label}</Label>
        <Group className="field-input date-group">
          <DateInput className="date-parts">
            {(segment) => (
              <Fragment>
                <DateSegment className="date-part" segment={segment} />
                {segment.type === 'year' && <Report onDay={report} />}
              </Fragment>
            )}
          </DateInput>
          <Button className="date-open">
            <CalendarDays size={20} aria-hidden="true" />
          </Button>
        </Group>
        {error !== '' && <FieldError className="field-error">{error}</FieldError>}
        {hint !== '' && (
          <Text slot="description" className="field-hint">
            {hint}
          </Text>
        )}
        <Popover className="date-popover">
          <Dialog>
            <Month />
          </Dialog>
        </Popover>
      </AriaDatePicker>
    </I18nProvider>
  )
}

/** Reports the date that the parts show, whenever it changes. React Aria itself keeps the last whole date while a part is missing. */
function Report({ onDay }: Pick<DateFieldProps, 'onDay'>) {
  const day = readParts(useContext(DateFieldStateContext))
  const report = useEffectEvent(onDay)
  useEffect(() => report(day), [day])
  return null
}

/** Empty for a date without any part, undefined for an incomplete one and for one that does not exist, such as 31 June. */
function readParts(state: DateFieldState | null): string | undefined {
  if (state === null) return ''
  const parts = state.segments.filter(({ type }) => type === 'year' || type === 'month' || type === 'day')
  if (parts.every(({ isPlaceholder }) => isPlaceholder)) return ''
  const day = state.value
  const isShown =
    day !== null && parts.every(({ type, value, isPlaceholder }) => !isPlaceholder && value === day[type as 'day'])
  // While a year is typed it is 2, then 20, then 202.
  return isShown && day.year >= 1_000 ? toCalendarDate(day).toString() : undefined
}

/** Null for anything but a day: the text may come from an address. */
function readDay(day = ''): CalendarDate | null {
  try {
    return parseDate(day)
  } catch {
    return null
  }
}

function Month() {
  return (
    <Calendar className="date-month">
      <header className="date-head">
        <Button slot="previous" className="date-step">
          <ChevronLeft size={20} aria-hidden="true" />
        </Button>
        <Heading className="date-name" />
        <Button slot="next" className="date-step">
          <ChevronRight size={20} aria-hidden="true" />
        </Button>
      </header>
      <CalendarGrid>{(day) => <CalendarCell className="date-day" date={day} />}</CalendarGrid>
    </Calendar>
  )
}
