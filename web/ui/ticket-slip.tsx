import type { ReactNode } from 'react'
import { TicketPaper } from './ticket-paper.tsx'
import { TicketGroups } from './ticket.tsx'
import './ticket-slip.css'

type TicketSlipProps = {
  readonly href: string
  readonly title: string
  readonly code: string
  readonly balance: ReactNode
  readonly detail: ReactNode
  readonly act: ReactNode
}

/** A voucher in a list: the same ticket, small, that opens the whole one. */
export function TicketSlip({ href, title, code, balance, detail, act }: TicketSlipProps) {
  const body = (
    <div className="ticket-slip">
      <a className="ticket-slip-title" href={href}>
        {title}
      </a>
      <p className="ticket-slip-balance">{balance}</p>
      <div className="ticket-slip-code">
        <TicketGroups code={code} />
      </div>
      <p className="ticket-slip-detail">{detail}</p>
    </div>
  )
  return <TicketPaper shape="slip" body={body} stub={act} />
}
