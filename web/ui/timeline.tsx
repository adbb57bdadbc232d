import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import './timeline.css'

export type TimelineEntry = {
  readonly key: string
  readonly icon: LucideIcon
  readonly tone?: 'plain' | 'good' | 'bad'
  readonly title: ReactNode
  /** Opposite the title: a time or an amount. */
  readonly end?: ReactNode
  readonly detail?: ReactNode
}

/** What happened, in its order. */
export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }): ReactNode {
  return (
    <ol className="timeline">
      {entries.map(({ key, icon: Icon, tone = 'plain', title, end, detail }) => (
        <li key={key}>
          <span className="timeline-node" data-tone={tone} aria-hidden="true">
            <Icon />
          </span>
          <div>
            <p className="timeline-title">
              <span>{title}</span>
              {end}
            </p>
            {detail !== undefined && <div className="soft">{detail}</div>}
          </div>
        </li>
      ))}
    </ol>
  )
}
