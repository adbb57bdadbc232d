import { CircleCheck, Info, type LucideIcon, Clock, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import './notice.css'

type NoticeKind = 'info' | 'done' | 'wait' | 'error'
type NoticeProps = { readonly kind?: NoticeKind; readonly children: ReactNode }

const icons: Readonly<Record<NoticeKind, LucideIcon>> = {
  info: Info,
  done: CircleCheck,
  wait: Clock,
  error: TriangleAlert,
}

/** One or two sentences in a box. Screen readers announce an error at once. */
export function Notice({ kind = 'info', children }: NoticeProps): ReactNode {
  const Icon = icons[kind]
  return (
    <div className="notice" data-kind={kind} role={kind === 'error' ? 'alert' : undefined}>
      <Icon aria-hidden="true" />
      <div className="notice-body">{children}</div>
    </div>
  )
}
