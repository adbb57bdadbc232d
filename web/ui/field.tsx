import { CircleAlert } from 'lucide-react'
import { type InputHTMLAttributes, useId, type ReactNode } from 'react'
import './field.css'

type FieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'style' | 'id'> & {
  readonly label: string
  readonly hint?: string
  readonly error?: string
  /** Codes are monospaced. */
  readonly face?: 'text' | 'code'
  /** An icon, or the symbol of a currency, in front of the text. */
  readonly lead?: ReactNode
}

export function Field({ label, hint = '', error = '', face = 'text', lead, ...rest }: FieldProps): ReactNode {
  const id = useId()
  const input = <input {...rest} id={id} className="field-input" data-face={face} {...describeField(id, hint, error)} />
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {lead === undefined ? (
        input
      ) : (
        <div className="field-lead">
          {lead}
          {input}
        </div>
      )}
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  )
}

type Described = { readonly 'aria-describedby': string | undefined; readonly 'aria-invalid': true | undefined }

/** What screen readers are told about a control with a hint or an error. */
export function describeField(id: string, hint: string, error: string): Described {
  const described = [error !== '' && `${id}-error`, hint !== '' && `${id}-hint`].filter(Boolean).join(' ')
  return { 'aria-describedby': described || undefined, 'aria-invalid': error !== '' || undefined }
}

type FieldNotesProps = { readonly id: string; readonly hint: string; readonly error: string }

/** The error and the hint below a control. */
export function FieldNotes({ id, hint, error }: FieldNotesProps): ReactNode {
  return (
    <>
      {error !== '' && (
        <p className="field-error" id={`${id}-error`} role="alert">
          <CircleAlert aria-hidden="true" />
          <span>{error}</span>
        </p>
      )}
      {hint !== '' && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </>
  )
}

const framesMax = 60

/** Moves the focus to the first field with an error, once React has marked it: on a busy device some frames later. */
export function focusFirstInvalid(form: HTMLElement, framesLeft = framesMax): void {
  requestAnimationFrame(() => {
    const field = form.querySelector<HTMLElement>('[aria-invalid]')
    if (field !== null) field.focus()
    else if (framesLeft > 0) focusFirstInvalid(form, framesLeft - 1)
  })
}
