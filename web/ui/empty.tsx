import { Inbox, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

type EmptyProps = {
  readonly icon?: LucideIcon
  readonly heading: string
  readonly lead: ReactNode
  readonly children?: ReactNode
}

/** An empty list: what will appear here, and how to add the first entry. */
export function Empty({ icon: Icon = Inbox, heading, lead, children }: EmptyProps): ReactNode {
  return (
    <div className="empty">
      <span className="empty-art" aria-hidden="true">
        <Icon />
      </span>
      <p className="empty-heading">{heading}</p>
      <p>{lead}</p>
      {children !== undefined && children !== false && <div className="acts empty-acts">{children}</div>}
    </div>
  )
}
