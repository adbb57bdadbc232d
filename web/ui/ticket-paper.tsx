import type { ReactNode } from 'react'
import './ticket-paper.css'

type TicketPaperProps = {
  readonly body: ReactNode
  readonly stub: ReactNode
  /** A slip is a low ticket in landscape, unless the text is very large. */
  readonly shape?: 'ticket' | 'slip'
}

/** The outline of a ticket: a body and a stub with a perforation between them, and torn edges. */
export function TicketPaper({ body, stub, shape = 'ticket' }: TicketPaperProps): ReactNode {
  return (
    <div className="ticket-paper" data-shape={shape}>
      <div className="ticket-sheet">
        <div className="ticket-body">{body}</div>
        <div className="ticket-stub">{stub}</div>
      </div>
    </div>
  )
}
