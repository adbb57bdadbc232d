import { type ReactNode, type TextareaHTMLAttributes, useId } from 'react'
import { describeField, FieldNotes } from './field.tsx'
import './text-area.css'

type TextAreaProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className' | 'style' | 'id'> & {
  readonly label: string
  readonly hint?: string
  readonly error?: string
}

/** A field of several lines. */
export function TextArea({ label, hint = '', error = '', ...rest }: TextAreaProps): ReactNode {
  const id = useId()
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <textarea {...rest} id={id} className="field-input text-area" {...describeField(id, hint, error)} />
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  )
}
