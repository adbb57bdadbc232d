import type { ReactNode } from 'react'
import { Field } from '../../ui/field.tsx'
import { words } from '../words/words.ts'

const sizeMax = 10_000

export function isSize(size: number): boolean {
  return Number.isInteger(size) && size >= 1 && size <= sizeMax
}

type SizeFieldProps = {
  readonly value: string
  readonly error: string
  readonly disabled: boolean
  readonly onSize: (typed: string) => void
}

/** How many vouchers or cards a batch has. */
export function SizeField({ value, error, disabled, onSize }: SizeFieldProps): ReactNode {
  return (
    <Field
      label={words.many.size}
      hint={words.many.sizeHint}
      inputMode="numeric"
      autoComplete="off"
      maxLength={5}
      value={value}
      error={error}
      disabled={disabled}
      onChange={(event) => onSize(event.target.value.replaceAll(/\D/g, ''))}
    />
  )
}
