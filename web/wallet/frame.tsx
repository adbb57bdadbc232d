import type { ReactNode } from 'react'
import { PageHeading, PageMark } from '../ui/page-frame.tsx'
import { TestBand } from '../ui/test-band.tsx'
import { realm } from './realm.ts'
import { type Address, BackLink, Link } from './route.ts'
import { words } from './words.ts'

type FrameProps = { readonly isSignedIn: boolean; readonly screen?: string; readonly children: ReactNode }

/** The header of every screen, with the navigation for signed-in users. */
export function Frame({ isSignedIn, screen = '', children }: FrameProps): ReactNode {
  const screens = [
    ['', words.nav.home],
    ['vouchers', words.nav.vouchers],
    ['send', words.nav.send],
    ['settings', words.nav.settings],
  ] as const
  return (
    <div className="page wallet">
      {realm === 'test' && <TestBand />}
      <header className="page-head">
        <p className="page-name">
          <PageMark />
          {words.name}
        </p>
      </header>
      {isSignedIn && (
        <nav className="wallet-nav" aria-label={words.name}>
          {screens.map(([to, name]) => (
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
  readonly back?: Address
  readonly children: ReactNode
}

/** A screen with a heading, and a link back to the screen above it. */
export function Screen({ heading, above = '', back, children }: ScreenProps): ReactNode {
  return (
    <div className="wallet-screen">
      {back !== undefined && (
        <BackLink className="page-way-back" to={back}>
          ← {words.back}
        </BackLink>
      )}
      <PageHeading key={heading} above={above}>
        {heading}
      </PageHeading>
      {children}
    </div>
  )
}
