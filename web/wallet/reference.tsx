import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { words } from './words.ts'

const shownLength = 8

/** The end of an id, which is short enough to read out and differs for every payment. The whole id is copied. */
export function Reference({ id }: { readonly id: string }): ReactNode {
  return (
    <>
      <code title={id}>…{id.slice(-shownLength)}</code>{' '}
      <span className="wallet-screen-only">
        <CopyButton kind="bare" text={id} label={words.receipt.copyReference} />
      </span>
    </>
  )
}
