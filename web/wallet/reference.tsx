import type { ReactNode } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { words } from './words.ts'

const shownLength = 8

/** The end of an id, which is short enough to read out and differs for every payment. */
export function ShortReference({ id }: { readonly id: string }): ReactNode {
  return <code title={id}>…{id.slice(-shownLength)}</code>
}

/** The same, with a button that copies the whole id. */
export function Reference({ id }: { readonly id: string }): ReactNode {
  return (
    <span className="wallet-reference">
      <ShortReference id={id} />
      <span className="wallet-screen-only">
        <CopyButton kind="bare" text={id} label={words.receipt.copyReference} />
      </span>
    </span>
  )
}
