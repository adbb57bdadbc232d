import { lazy, type ReactNode, Suspense } from 'react'
import { Field } from './field.tsx'

export type DateFieldProps = {
  readonly label: string
  readonly hint?: string
  readonly error?: string
  /** Days such as 2026-12-31, or empty. */
  readonly value: string
  readonly min?: string | undefined
  readonly max?: string | undefined
  /** Gets undefined while a part of the date is missing. */
  readonly onDay: (day: string | undefined) => void
}

const DatePicker = lazy(() => import('./date-picker.tsx'))

/** A date in the order of the page's language, which a browser's own date field does not follow. */
export function DateField(props: DateFieldProps): ReactNode {
  const { label, hint = '', value } = props
  return (
    // The calendar is a file of its own, because few screens need it.
    <Suspense fallback={<Field label={label} hint={hint} value={value} readOnly />}>
      <DatePicker {...props} />
    </Suspense>
  )
}
