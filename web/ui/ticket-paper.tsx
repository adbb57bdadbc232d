import type { ReactNode } from 'react'
import { type TicketColours, ticketStyle } from './ticket-head.tsx'
import './ticket-paper.css'

type TicketPaperProps = {
  /** Above the body, from edge to edge. */
  readonly head?: ReactNode
  readonly body: ReactNode
  readonly stub: ReactNode
  /** A slip is a low ticket in landscape, unless the text is very large. tall: the stub is always below. */
  readonly shape?: 'ticket' | 'tall' | 'slip'
  readonly colours?: TicketColours | undefined
}

/** The outline of a ticket: a body and a stub with a perforation between them, and torn edges. */
export function TicketPaper({ head, body, stub, shape = 'ticket', colours }: TicketPaperProps): ReactNode {
  return (
    <div className="ticket-paper" data-shape={shape} style={ticketStyle(colours)}>
      <div className="ticket-sheet">
        <div className="ticket-body">
          {head}
          <div className="ticket-pad">{body}</div>
        </div>
        <div className="ticket-stub">
          <div className="ticket-pad">{stub}</div>
        </div>
      </div>
    </div>
  )
}
