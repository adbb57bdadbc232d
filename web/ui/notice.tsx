import type { ReactNode } from 'react'
import './notice.css'

type NoticeProps = { readonly kind?: 'info' | 'error'; readonly children: ReactNode }

/** One or two sentences in a box. Screen readers announce an error at once. */
export function Notice({ kind = 'info', children }: NoticeProps): ReactNode {
  return (
    <div className="notice" data-kind={kind} role={kind === 'error' ? 'alert' : undefined}>
      {children}
    </div>
  )
}
