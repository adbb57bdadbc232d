import { type InputHTMLAttributes, useId, type ReactNode } from 'react'
import './field.css'

type FieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'style' | 'id'> & {
  readonly label: string
  readonly hint?: string
  readonly error?: string
  /** Codes and PINs are monospaced; a secret shows dots. */
  readonly face?: 'text' | 'code' | 'secret'
}

export function Field({ label, hint = '', error = '', face = 'text', ...rest }: FieldProps): ReactNode {
  const id = useId()
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <input
        {...rest}
        id={id}
        className="field-input"
        data-face={face}
        aria-describedby={described || undefined}
        aria-invalid={error !== '' || undefined}
      />
      {error !== '' && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      {hint !== '' && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** Moves the focus to the first field with an error, once React has marked it. */
export function focusFirstInvalid(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus())
}
