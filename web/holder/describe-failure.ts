import { useEffect, useState } from 'react'
import { locale, serverText } from '../ui/locale.ts'
import { writeMoment } from '../ui/moment.tsx'
import type { Failure } from './request-voucher.ts'
import { words } from './words.ts'

type FailureText = {
  readonly heading: string
  readonly lead: string
  /** Shown at the code field, where another code may work. */
  readonly error: string
  readonly isAboutCode: boolean
}

export function describeFailure({ code, message, until }: Failure): FailureText {
  const { mistyped, notFound, tooMany, unreachable, broken, other } = words.failures
  switch (code) {
    case 'VOUCHER_CODE_MISTYPED':
      return { ...mistyped, isAboutCode: true }
    case 'VOUCHER_NOT_FOUND':
      return { ...notFound, isAboutCode: true }
    case 'TOO_MANY':
      return withoutCode(tooMany.heading, tooMany.lead(writeWhen(until)))
    case 'UNREACHABLE':
      return withoutCode(unreachable.heading, unreachable.lead)
    case 'BROKEN':
      return withoutCode(broken.heading, broken.lead)
    default: {
      const known: Readonly<Record<string, string>> = words.refusals
      return withoutCode(other.heading, known[code] ?? serverText(message) ?? other.lead)
    }
  }
}

/** Such as "at 14:05", or "in 20 seconds" where that is soon. */
export function writeWhen(until: Date | null): string {
  if (until === null) return words.when.soon
  const seconds = Math.ceil((until.getTime() - Date.now()) / 1000)
  if (seconds < 90) return new Intl.RelativeTimeFormat(locale).format(Math.max(1, seconds), 'second')
  const time = writeMoment(until, 'time')
  const isToday = until.toDateString() === new Date().toDateString()
  return isToday ? words.when.at(time) : words.when.on(writeMoment(until, 'day'), time)
}

/** True until the given time. */
export function useIsWaiting(until: Date | null): boolean {
  const [passed, setPassed] = useState<Date | null>(null)
  useEffect(() => {
    if (until === null) return
    const timer = setTimeout(() => setPassed(until), Math.max(0, until.getTime() - Date.now()))
    return () => clearTimeout(timer)
  }, [until])
  return until !== null && passed !== until
}

function withoutCode(heading: string, lead: string): FailureText {
  return { heading, lead, error: '', isAboutCode: false }
}
