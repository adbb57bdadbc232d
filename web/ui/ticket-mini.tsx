import { QrCode } from 'lucide-react'
import type { ReactNode } from 'react'
import { type TicketColours, ticketStyle } from './ticket-head.tsx'
import './ticket-mini.css'

type TicketMiniProps = {
  /** A link with the class `cover-link`, whose target is the whole ticket. */
  readonly title: ReactNode
  readonly balance: ReactNode
  /** The balance in thousandths of the amount. */
  readonly share: number
  readonly detail: ReactNode
  /** Whether it can no longer be used. */
  readonly isOver?: boolean
  readonly colours?: TicketColours | undefined
}

/** A voucher in a row of vouchers: the shop, the balance and a bar. */
export function TicketMini({ title, balance, share, detail, isOver = false, colours }: TicketMiniProps): ReactNode {
  return (
    <div className="ticket-mini" data-over={isOver || undefined} style={ticketStyle(colours)}>
      <div className="ticket-mini-body">
        <p className="ticket-mini-title">{title}</p>
        <p className="ticket-mini-balance">{balance}</p>
        <div className="ticket-mini-bar" aria-hidden="true">
          <div style={{ width: `${share / 10}%` }} />
        </div>
        <p className="ticket-mini-detail">{detail}</p>
      </div>
      <div className="ticket-mini-stub" aria-hidden="true">
        {!isOver && <QrCode />}
      </div>
    </div>
  )
}
