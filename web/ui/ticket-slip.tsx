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

/** A voucher in a list: a small ticket that links to the full one. */
export function TicketSlip({ href, title, code, balance, detail, act }: TicketSlipProps): ReactNode {
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
