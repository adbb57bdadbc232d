import type { ReactNode } from 'react'
import { locale } from './locale.ts'
import { createMomentFormat, type MomentForm } from './moment-format.ts'

type MomentProps = {
  readonly at: string | Date
  readonly form?: MomentForm
  /** The time zone of a place such as a shop. Default: the user's. */
  readonly zone?: string | undefined
}

const { writeExactly, writeMoment } = createMomentFormat(locale)
export { writeMoment }

/** A time as the user's locale writes it. Hovering shows it in full. */
export function Moment({ at, form = 'moment', zone }: MomentProps): ReactNode {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return null
  return (
    <time dateTime={date.toISOString()} title={writeExactly(date, zone)}>
      {writeMoment(date, form, zone)}
    </time>
  )
}
