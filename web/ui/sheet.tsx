import type { ReactNode } from 'react'
import './sheet.css'

type SheetProps = { readonly act?: ReactNode; readonly children: ReactNode }

/** A piece of paper with something to read or to fill in, and at most one thing to do. */
export function Sheet({ act, children }: SheetProps) {
  return (
    <div className="sheet">
      <div className="form-body">{children}</div>
      {act}
    </div>
  )
}
