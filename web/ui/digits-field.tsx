import type { ReactNode } from 'react'
import { Field } from './field.tsx'

type DigitsFieldProps = Pick<Parameters<typeof Field>[0], 'label' | 'hint' | 'error' | 'disabled' | 'autoFocus'> & {
  readonly length: number
  readonly value: string
  readonly onDigits: (digits: string) => void
}

/** A field for a PIN: digits only, shown as dots, and not offered to the browser's password manager. */
export function DigitsField({ length, onDigits, ...rest }: DigitsFieldProps): ReactNode {
  return (
    <Field
      {...rest}
      face="secret"
      inputMode="numeric"
      autoComplete="off"
      maxLength={length}
      onChange={(event) => onDigits(event.target.value.replaceAll(/\D/g, ''))}
    />
  )
}
