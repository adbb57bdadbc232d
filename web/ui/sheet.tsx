import type { ReactNode } from 'react'
import './sheet.css'

type SheetProps = {
  readonly act?: ReactNode
  /** For a table, or lines with figures in columns. */
  readonly isWide?: boolean
  readonly children: ReactNode
}

/** A piece of paper with something to read or to fill in, and at most one thing to do. */
export function Sheet({ act, isWide = false, children }: SheetProps) {
  return (
    <div className="sheet" data-wide={isWide || undefined}>
      <div className="form-body">{children}</div>
      {act}
    </div>
  )
}
