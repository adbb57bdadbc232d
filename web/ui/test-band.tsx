import type { ReactNode } from 'react'
import './test-band.css'
import { uiWords } from './words.ts'

/** Marks every page that shows test mode. */
export function TestBand(): ReactNode {
  return (
    <p className="test-band">
      <span className="test-band-words">{uiWords().testBand}</span>
    </p>
  )
}
