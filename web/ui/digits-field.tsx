import { type CSSProperties, type ReactNode, useId } from 'react'
import { describeField, FieldNotes } from './field.tsx'

type DigitsFieldProps = {
  readonly label: string
  readonly hint?: string
  readonly error?: string
  readonly disabled?: boolean | undefined
  readonly autoFocus?: boolean | undefined
  readonly length: number
  readonly value: string
  readonly onDigits: (digits: string) => void
}

/** A field for a PIN: a box for each digit, shown as dots, and not offered to the browser's password manager. */
export function DigitsField(props: DigitsFieldProps): ReactNode {
  const { label, hint = '', error = '', disabled, autoFocus, length, value, onDigits } = props
  const id = useId()
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <div className="pin-boxes" style={{ '--digits': length } as CSSProperties}>
        <input
          id={id}
          className="pin-input"
          inputMode="numeric"
          autoComplete="off"
          maxLength={length}
          disabled={disabled}
          autoFocus={autoFocus}
          value={value}
          {...describeField(id, hint, error)}
          onChange={({ target }) => {
            // Where the page is built with Preact, nothing else takes a letter out of the input again.
            target.value = target.value.replaceAll(/\D/g, '')
            onDigits(target.value)
          }}
        />
        {Array.from({ length }, (_, place) => (
          <span
            key={place}
            className="pin-box"
            data-filled={place < value.length || undefined}
            data-next={place === Math.min(value.length, length - 1) || undefined}
            aria-hidden="true"
          />
        ))}
      </div>
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  )
}
