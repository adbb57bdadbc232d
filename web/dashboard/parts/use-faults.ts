import { type SubmitEvent, useState } from 'react'
import { focusFirstInvalid } from '../../ui/field.tsx'

/** What is wrong with the fields of a form, by their names. */
export type Faults = Readonly<Record<string, string>>

export type FaultsShown = {
  /** The fault of a field since the form was checked, or an empty string. */
  readonly of: (name: string) => string
  /** Marks the fields that are wrong. Returns whether none is. */
  readonly check: () => boolean
}

/** Fields are marked when their form is submitted, and not while the user fills them in for the first time. */
export function useFaults(faults: Faults): FaultsShown {
  const [marked, setMarked] = useState<readonly string[]>([])
  return {
    of: (name) => (marked.includes(name) ? (faults[name] ?? '') : ''),
    check: () => {
      setMarked(Object.keys(faults))
      return Object.keys(faults).length === 0
    },
  }
}

/** Checks all parts of a form, and moves the focus to the first wrong field. Returns whether the form can be sent. */
export function checkForm(form: HTMLElement, ...checks: readonly (() => boolean)[]): boolean {
  const isValid = checks.map((check) => check()).every(Boolean)
  if (!isValid) focusFirstInvalid(form)
  return isValid
}

/** Submits without the browser's own request, and without the form around a dialog that this form is in. */
export function onSubmit(submit: (form: HTMLFormElement) => void): (event: SubmitEvent<HTMLFormElement>) => void {
  return (event) => {
    event.preventDefault()
    event.stopPropagation()
    submit(event.currentTarget)
  }
}
