import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconTile } from '../ui/avatar.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import './link-sheet.css'

type LinkSheetProps = {
  /** None while the page loads. */
  readonly icon?: LucideIcon
  readonly ink?: 'green' | 'none'
  readonly above?: string
  readonly heading: string
  readonly act?: ReactNode
  readonly children: ReactNode
}

/** The one sheet of the page: what the link is for, or what became of it. */
export function LinkSheet({ icon, ink = 'green', above = '', heading, act, children }: LinkSheetProps): ReactNode {
  return (
    <div className="link-sheet">
      <Sheet act={act}>
        {icon !== undefined && <IconTile icon={icon} ink={ink} size="l" />}
        <PageHeading above={above}>{heading}</PageHeading>
        {children}
      </Sheet>
    </div>
  )
}
