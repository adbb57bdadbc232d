import { type SelectHTMLAttributes, useId } from 'react'
import './field.css'

type ChoiceProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className' | 'style' | 'id'> & {
  readonly label: string
  /** Values and what they are called. */
  readonly options: readonly (readonly [string, string])[]
}

/** One of a few. */
export function Choice({ label, options, ...rest }: ChoiceProps) {
  const id = useId()
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <select {...rest} id={id} className="field-input">
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
