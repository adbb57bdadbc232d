import { type ReactNode, type TextareaHTMLAttributes, useId } from 'react'
import './field.css'
import './text-area.css'

type TextAreaProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className' | 'style' | 'id'> & {
  readonly label: string
  readonly hint?: string
  readonly error?: string
}

/** A field of several lines. */
export function TextArea({ label, hint = '', error = '', ...rest }: TextAreaProps): ReactNode {
  const id = useId()
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <textarea
        {...rest}
        id={id}
        className="field-input text-area"
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
