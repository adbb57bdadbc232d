import type { ReactNode } from 'react'
import './notice.css'

type NoticeProps = { readonly kind?: 'info' | 'error'; readonly children: ReactNode }

/** A sentence or two about what happened. An error is read out at once. */
export function Notice({ kind = 'info', children }: NoticeProps) {
  return (
    <div className="notice" data-kind={kind} role={kind === 'error' ? 'alert' : undefined}>
      {children}
    </div>
  )
}
