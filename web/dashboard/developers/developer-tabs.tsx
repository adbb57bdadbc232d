import { BookOpen } from 'lucide-react'
import type { ReactNode } from 'react'
import { Count } from '../../ui/pill.tsx'
import '../../ui/tabs.css'
import { Screen } from '../shell/frame.tsx'
import { Link, place } from '../shell/place.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import type { Healths } from '../shell/responses.ts'
import { developers } from '../words/developers.ts'

export const healthPath = '/merchant/webhook-health'

const tabs = ['overview', 'keys', 'webhooks', 'events', 'requests', 'sandbox'] as const
type Tab = (typeof tabs)[number]

type DeveloperTabsProps = {
  readonly tab: Tab
  /** Buttons beside the heading. */
  readonly acts?: ReactNode
  readonly children: ReactNode
}

/** One of the lists of the room, below the links to the others. */
export function DeveloperTabs({ tab, acts, children }: DeveloperTabsProps): ReactNode {
  const shown = tabs.filter((each) => each !== 'sandbox' || place?.mode === 'test')
  return (
    <Screen
      heading={developers.heading}
      acts={
        <>
          <a className="button" data-kind="bare" href="/docs" target="_blank" rel="noreferrer">
            <BookOpen aria-hidden="true" />
            {developers.reference}
          </a>
          {acts}
        </>
      }
    >
      <nav className="tabs" aria-label={developers.heading}>
        {shown.map((each) => (
          <Link
            key={each}
            to={each === 'overview' ? '/developers' : `/developers/${each}`}
            aria-current={each === tab ? 'page' : undefined}
          >
            {developers.tabs[each]}
            {each === 'webhooks' && <FailingCount />}
          </Link>
        ))}
      </nav>
      {children}
    </Screen>
  )
}

/** How many endpoints have failed deliveries. */
function FailingCount() {
  const { data } = useKnown<Healths>(healthPath)
  const failing = data?.endpoints.filter(({ failed, retrying }) => failed + retrying > 0).length ?? 0
  return failing === 0 ? null : <Count tone="bad">{failing}</Count>
}
