import { FlaskConical } from 'lucide-react'
import type { ReactNode } from 'react'
import './test-mode.css'
import { uiWords } from './words.ts'

/** A thin line at the top of every page that shows test mode. */
export function TestLine(): ReactNode {
  return <div className="test-line" aria-hidden="true" />
}

/** Says what the line means. */
export function TestBadge(): ReactNode {
  return (
    <p className="test-badge">
      <FlaskConical aria-hidden="true" />
      <span>
        {uiWords().testMode}
        <span className="test-badge-more">{uiWords().testMeaning}</span>
      </span>
    </p>
  )
}
