import type { ReactNode } from 'react'
import './ticket-paper.css'

type TicketPaperProps = {
  readonly body: ReactNode
  readonly stub: ReactNode
  /** A slip is a low ticket that lies on its side unless the text is very large. */
  readonly shape?: 'ticket' | 'slip'
}

/** The paper of a ticket: a body and a stub with a line of holes between them, and the edges torn off a roll. */
export function TicketPaper({ body, stub, shape = 'ticket' }: TicketPaperProps) {
  return (
    <div className="ticket-paper" data-shape={shape}>
      <div className="ticket-sheet">
        <div className="ticket-body">{body}</div>
        <div className="ticket-stub">{stub}</div>
      </div>
    </div>
  )
}
