import type { ReactNode } from 'react'
import './history-list.css'
import { Moment } from './moment.tsx'

export type HistoryRow = {
  readonly id: string
  readonly title: string
  readonly detail: string
  readonly at: string
  readonly amount: ReactNode
}

/** A list of events with amounts aligned at the end. */
export function HistoryList({ rows }: { readonly rows: readonly HistoryRow[] }): ReactNode {
  return (
    <ol className="history-list">
      {rows.map((row) => (
        <li className="history-row" key={row.id}>
          <div className="history-what">
            <p className="history-title">{row.title}</p>
            <p className="history-detail">
              {row.detail !== '' && `${row.detail}, `}
              <Moment at={row.at} />
            </p>
          </div>
          <p className="history-amount">{row.amount}</p>
        </li>
      ))}
    </ol>
  )
}
