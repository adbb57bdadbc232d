import { type ReactNode, type TextareaHTMLAttributes, useId } from 'react'

type TextAreaProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className' | 'style' | 'id'> & {
  readonly label: string
  readonly hint: string
  readonly error: string
}

/** A field for text of several lines. */
export function TextArea({ label, hint, error, ...rest }: TextAreaProps): ReactNode {
  const id = useId()
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <textarea
        {...rest}
        id={id}
        className="field-input invoice-text"
        aria-describedby={error === '' ? `${id}-hint` : `${id}-error ${id}-hint`}
        aria-invalid={error !== '' || undefined}
      />
      {error !== '' && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      <p className="field-hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  )
}
