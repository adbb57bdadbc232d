import type { ReactNode } from 'react'
import './segmented.css'

type SegmentedProps<Value extends string> = {
  /** What is chosen, for screen readers. */
  readonly label: string
  readonly value: Value
  /** Pairs of value and label. */
  readonly options: readonly (readonly [Value, ReactNode])[]
  readonly onChoose: (value: Value) => void
  readonly isWide?: boolean
}

/** A choice between two to five values, all of them in view. */
export function Segmented<Value extends string>(props: SegmentedProps<Value>): ReactNode {
  const { label, value, options, onChoose, isWide = false } = props
  return (
    <div className="segmented" role="group" aria-label={label} data-wide={isWide || undefined}>
      {options.map(([each, name]) => (
        <button key={each} type="button" aria-pressed={each === value} onClick={() => onChoose(each)}>
          {name}
        </button>
      ))}
    </div>
  )
}

type ToggleProps = { readonly label: string; readonly isOn: boolean; readonly onToggle: (isOn: boolean) => void }

/** A switch that takes effect at once. */
export function Toggle({ label, isOn, onToggle }: ToggleProps): ReactNode {
  return (
    <button
      className="toggle"
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      onClick={() => onToggle(!isOn)}
    />
  )
}
