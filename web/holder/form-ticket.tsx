import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { PageHeading } from '../ui/page-frame.tsx'
import { TicketHead } from '../ui/ticket-head.tsx'
import { TicketPaper } from '../ui/ticket-paper.tsx'
import { words } from './words.ts'

type FormTicketProps = {
  readonly icon: LucideIcon
  readonly heading: string
  /** On the stub. */
  readonly act: ReactNode
  readonly children: ReactNode
}

/** A ticket that asks for something or says what is wrong, before the page knows the shop. */
export function FormTicket({ icon: Icon, heading, act, children }: FormTicketProps): ReactNode {
  const head = <TicketHead mark={<Icon />} title={<PageHeading>{heading}</PageHeading>} label={words.giftVoucher} />
  return (
    <div className="form-ticket">
      <TicketPaper shape="tall" head={head} body={<div className="form-body">{children}</div>} stub={act} />
    </div>
  )
}
