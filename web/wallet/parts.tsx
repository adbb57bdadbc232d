import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Loaded as LoadedIn, type LoadedProps } from '../ui/loaded.tsx'
import { type Address, Link } from './route.ts'
import { describeError, words } from './words.ts'

/** `Loaded` with the wallet's words. */
export function Loaded<Data>(props: Omit<LoadedProps<Data>, 'words' | 'say'>): ReactNode {
  return <LoadedIn {...props} words={words} say={describeError} />
}

type DoneProps = {
  readonly heading: string
  readonly lead: string
  readonly to?: Address
  /** More buttons beside Done. */
  readonly more?: ReactNode
  readonly children?: ReactNode
}

/** The last screen of an action that succeeded. */
export function Done({ heading, lead, to = '/', more, children }: DoneProps): ReactNode {
  return (
    <>
      <div className="wallet-done" role="status">
        <span className="wallet-done-mark" aria-hidden="true">
          <Check />
        </span>
        <p className="wallet-done-heading">{heading}</p>
        {children}
        {lead !== '' && <p className="soft">{lead}</p>}
      </div>
      <WayOn to={to}>{more}</WayOn>
    </>
  )
}

/** The Done button, which leads back to another screen. */
export function WayOn({ to = '/', children }: { readonly to?: Address; readonly children?: ReactNode }): ReactNode {
  return (
    <div className="wallet-acts">
      <Link className="button" data-kind="main" data-size="l" data-wide to={to}>
        {words.done}
      </Link>
      {children}
    </div>
  )
}
