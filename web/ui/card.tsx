import type { ReactNode } from 'react'
import './card.css'

type CardProps = {
  readonly heading?: ReactNode
  /** At the end of the head: a link or a switch. */
  readonly act?: ReactNode
  readonly foot?: ReactNode
  /** False for content that reaches the edges, such as a list or a table. */
  readonly hasPadding?: boolean
  readonly children: ReactNode
}

/** A white sheet on the paper, with an optional heading. */
export function Card({ heading, act, foot, hasPadding = true, children }: CardProps): ReactNode {
  return (
    <section className="card">
      {heading !== undefined && (
        <div className="card-head">
          <h2>{heading}</h2>
          {act}
        </div>
      )}
      {hasPadding ? <div className="card-body">{children}</div> : children}
      {foot !== undefined && <div className="card-foot">{foot}</div>}
    </section>
  )
}

type RowProps = {
  readonly lead?: ReactNode
  readonly title: ReactNode
  readonly detail?: ReactNode
  /** An amount with a line below it, or a button. */
  readonly end?: ReactNode
}

/** A line of a list: an icon or an avatar, a title with a detail, and an amount or a button. */
export function Row({ lead, title, detail, end }: RowProps): ReactNode {
  return (
    <div className="row">
      {lead}
      <div className="row-text">
        <p className="row-title">{title}</p>
        {detail !== undefined && detail !== '' && <p className="row-detail">{detail}</p>}
      </div>
      {end !== undefined && <div className="row-end">{end}</div>}
    </div>
  )
}
