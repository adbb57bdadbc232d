import type { ReactNode } from 'react'
import './facts.css'

type FactsProps = {
  readonly rows: readonly (readonly [string, ReactNode])[]
  /** card: with a frame of its own. plain: inside a card. sum: the last row is the result of the rows above it. */
  readonly kind?: 'card' | 'plain' | 'sum'
}

/** A list of labels and values, with amounts aligned at the end. */
export function Facts({ rows, kind = 'card' }: FactsProps): ReactNode {
  return (
    <dl className="facts" data-kind={kind}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
