import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconTile } from '../ui/avatar.tsx'
import { Card } from '../ui/card.tsx'
import './phone-option.css'

type PhoneOptionProps = {
  readonly icon: LucideIcon
  readonly heading: string
  readonly lead: ReactNode
  readonly leadId?: string
  readonly children?: ReactNode
}

/** Something that the phone can do with the voucher. */
export function PhoneOption({ icon, heading, lead, leadId, children }: PhoneOptionProps): ReactNode {
  return (
    <Card>
      <div className="phone-option">
        <IconTile icon={icon} />
        <div>
          <h2>{heading}</h2>
          <p className="soft" id={leadId}>
            {lead}
          </p>
        </div>
        {children !== undefined && children !== false && <div className="phone-option-act">{children}</div>}
      </div>
    </Card>
  )
}
