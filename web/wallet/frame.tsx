import type { ReactNode } from 'react'
import { PageHeading, PageMark } from '../ui/page-frame.tsx'
import { TestBand } from '../ui/test-band.tsx'
import { realm } from './realm.ts'
import { Link } from './route.ts'
import { words } from './words.ts'

type FrameProps = { readonly isSignedIn: boolean; readonly screen?: string; readonly children: ReactNode }

/** Around every screen: whose money it is, and the ways to the others for who has signed in. */
export function Frame({ isSignedIn, screen = '', children }: FrameProps) {
  const ways = [
    ['', words.nav.home],
    ['vouchers', words.nav.vouchers],
    ['send', words.nav.send],
    ['settings', words.nav.settings],
  ] as const
  return (
    <div className="page wallet">
      {realm === 'test' && <TestBand>{words.testBand}</TestBand>}
      <header className="page-head">
        <p className="page-name">
          <PageMark />
          {words.name}
        </p>
      </header>
      {isSignedIn && (
        <nav className="wallet-nav" aria-label={words.name}>
          {ways.map(([to, name]) => (
            <Link key={to} to={`/${to}`} aria-current={screen === to ? 'page' : undefined}>
              {name}
            </Link>
          ))}
        </nav>
      )}
      <main className="page-main">{children}</main>
    </div>
  )
}

type ScreenProps = {
  readonly heading: string
  readonly above?: string
  readonly back?: string
  readonly children: ReactNode
}

/** A screen with a way back to where it is reached from. */
export function Screen({ heading, above = '', back, children }: ScreenProps) {
  return (
    <div className="wallet-screen">
      {back !== undefined && (
        <Link className="page-way-back" to={back}>
          ← {words.back}
        </Link>
      )}
      <PageHeading key={heading} above={above}>
        {heading}
      </PageHeading>
      {children}
    </div>
  )
}
