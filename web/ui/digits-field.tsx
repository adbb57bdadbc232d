import { Field } from './field.tsx'

type DigitsFieldProps = Pick<Parameters<typeof Field>[0], 'label' | 'hint' | 'error' | 'disabled' | 'autoFocus'> & {
  readonly length: number
  readonly value: string
  readonly onDigits: (digits: string) => void
}

/** A pin: figures alone, shown as dots, and never offered to be kept. */
export function DigitsField({ length, onDigits, ...rest }: DigitsFieldProps) {
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
