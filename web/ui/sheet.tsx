import type { ReactNode } from 'react'
import './sheet.css'

type SheetProps = {
  readonly act?: ReactNode
  /** For tables and other content in columns. */
  readonly isWide?: boolean
  readonly children: ReactNode
}

/** A card with text or a form, and at most one action. */
export function Sheet({ act, isWide = false, children }: SheetProps): ReactNode {
  return (
    <div className="sheet" data-wide={isWide || undefined}>
      <div className="form-body">{children}</div>
      {act}
    </div>
  )
}
