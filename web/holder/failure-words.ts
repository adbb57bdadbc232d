import { useEffect, useState } from 'react'
import { writeMoment } from '../ui/moment.tsx'
import type { Failure } from './ask-voucher.ts'

type FailureWords = {
  readonly heading: string
  readonly lead: string
  /** Next to the code, when another code would mend it. */
  readonly error: string
  readonly isAboutCode: boolean
}

export function explain({ code, message, until }: Failure): FailureWords {
  switch (code) {
    case 'VOUCHER_CODE_MISTYPED':
      return aboutCode('Is the code right?', 'Please compare it with the one you were given.', {
        error: 'A letter or a figure is missing or wrong.',
      })
    case 'VOUCHER_NOT_FOUND':
      return aboutCode('We cannot find it', 'Please check the code, or ask the shop that gave it to you.', {
        error: 'No voucher that can be used has this code.',
      })
    case 'TOO_MANY':
      return aboutUs('A short pause', `There were many tries from here. You can try again ${writeWhen(until)}.`)
    case 'UNREACHABLE':
      return aboutUs('No answer', 'We could not reach the server. Please check that you are online.')
    case 'BROKEN':
      return aboutUs('That did not work', 'Something went wrong on our side. Your voucher is safe.')
    default:
      return aboutUs('This voucher cannot be shown', message || 'Please ask the shop that gave it to you.')
  }
}

/** At 14:05, or in a few seconds when a clock would not help. */
export function writeWhen(until: Date | null): string {
  if (until === null) return 'in a moment'
  const seconds = Math.ceil((until.getTime() - Date.now()) / 1000)
  if (seconds < 90) return `in ${Math.max(1, seconds)} seconds`
  const isToday = until.toDateString() === new Date().toDateString()
  return isToday ? `at ${writeMoment(until, 'time')}` : `on ${writeMoment(until, 'moment')}`
}

/** True until the time has come. */
export function useIsWaiting(until: Date | null): boolean {
  const [passed, setPassed] = useState<Date | null>(null)
  useEffect(() => {
    if (until === null) return
    const timer = setTimeout(() => setPassed(until), Math.max(0, until.getTime() - Date.now()))
    return () => clearTimeout(timer)
  }, [until])
  return until !== null && passed !== until
}

function aboutCode(heading: string, lead: string, { error }: { readonly error: string }): FailureWords {
  return { heading, lead, error, isAboutCode: true }
}

function aboutUs(heading: string, lead: string): FailureWords {
  return { heading, lead, error: '', isAboutCode: false }
}
