import { type CalendarDate, parseDate } from '@internationalized/date'
import { CalendarDays, ChevronLeft, ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import {
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
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

// React Aria adds a style element unless one with this id exists. The content security policy forbids that, and our style sheet has the rule.
document.head.append(Object.assign(document.createElement('meta'), { id: 'react-aria-pressable-style' }))

/** A date that is typed part by part, or chosen in a calendar. */
export default function DatePicker(props: DateFieldProps): ReactNode {
  const { label, hint = '', error = '', value, min, max, onDay } = props
  const [shown, setShown] = useState({ value, day: readDay(value) })
  if (shown.value !== value) setShown({ value, day: readDay(value) })
  const change = (day: CalendarDate | null): void => {
    // While a year is typed it is 2, then 20, then 202.
    const isWhole = day === null || day.year >= 1_000
    setShown({ value, day })
    if (isWhole) onDay(day?.toString() ?? '')
  }
  return (
    <I18nProvider locale={locale}>
      <AriaDatePicker
        className="field"
        value={shown.day}
        minValue={readDay(min)}
        maxValue={readDay(max)}
        isInvalid={error !== ''}
        shouldForceLeadingZeros
        onChange={change}
      >
        <Label className="field-label">{label}</Label>
        <Group className="field-input date-group">
          <DateInput className="date-parts">
            {(segment) => <DateSegment className="date-part" segment={segment} />}
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
