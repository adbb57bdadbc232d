import type { ReactNode } from 'react'
import './test-band.css'

/** Stands wherever what is shown is not real money. */
export function TestBand({ children = 'Test mode: play money' }: { readonly children?: ReactNode }) {
  return (
    <p className="test-band">
      <span className="test-band-words">{children}</span>
    </p>
  )
}
