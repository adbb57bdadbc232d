import type { ReactNode } from 'react'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { words } from './words.ts'

export type FormOutcome = { readonly text: string; readonly isError: boolean } | null

/** What came of a form, announced by screen readers. */
export function Outcome({ outcome }: { readonly outcome: FormOutcome }): ReactNode {
  return (
    <div role="status">
      {outcome !== null && <Notice kind={outcome.isError ? 'error' : 'done'}>{outcome.text}</Notice>}
    </div>
  )
}

type PasswordFieldProps = {
  readonly value: string
  readonly error: string
  readonly onPassword: (password: string) => void
}

export function PasswordField({ value, error, onPassword }: PasswordFieldProps): ReactNode {
  return (
    <Field
      label={words.settings.password}
      type="password"
      autoComplete="current-password"
      value={value}
      error={error}
      onChange={(event) => onPassword(event.target.value)}
    />
  )
}
