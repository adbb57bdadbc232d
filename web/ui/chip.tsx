import { Plus, X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import './chip.css'

type FilterChipProps = {
  readonly label: string
  readonly value: string
  /** Pairs of value and label, without the one for all. */
  readonly options: readonly (readonly [string, string])[]
  /** The label of the entry that removes the filter. */
  readonly any: string
  /** The label of the button that removes the filter. */
  readonly clearLabel: string
  readonly onChoose: (value: string) => void
}

/** A filter that is added when it is needed, and says what it filters by. */
export function FilterChip({ label, value, options, any, clearLabel, onChoose }: FilterChipProps): ReactNode {
  const id = useId()
  const chosen = options.find(([each]) => each === value)?.[1] ?? value
  const isOn = value !== ''
  return (
    <span className="chip" data-on={isOn || undefined}>
      {isOn ? (
        <button className="chip-clear" type="button" aria-label={clearLabel} onClick={() => onChoose('')}>
          <X aria-hidden="true" />
        </button>
      ) : (
        <Plus aria-hidden="true" />
      )}
      <label htmlFor={id}>{label}</label>
      {isOn && <b aria-hidden="true">{chosen}</b>}
      <select id={id} value={value} onChange={(event) => onChoose(event.target.value)}>
        <option value="">{any}</option>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </span>
  )
}
