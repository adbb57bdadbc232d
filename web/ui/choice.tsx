import { type SelectHTMLAttributes, useId, type ReactNode } from 'react'
import './field.css'

type ChoiceProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className' | 'style' | 'id'> & {
  readonly label: string
  /** Pairs of value and label. */
  readonly options: readonly (readonly [string, string])[]
}

/** A drop-down list with a label. */
export function Choice({ label, options, ...rest }: ChoiceProps): ReactNode {
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
