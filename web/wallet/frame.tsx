import { ArrowLeft, History, House, type LucideIcon, QrCode, ScanQrCode, Settings, Ticket } from 'lucide-react'
import type { ReactNode } from 'react'
import { Avatar } from '../ui/avatar.tsx'
import { PageHeading, PageMark } from '../ui/page-frame.tsx'
import { TestBadge, TestLine } from '../ui/test-mode.tsx'
import './frame.css'
import { realm } from './realm.ts'
import type { User } from './request-wallet.ts'
import { type Address, BackLink, Link } from './route.ts'
import { words } from './words.ts'

type FrameProps = { readonly user: User | null; readonly screen?: string; readonly children: ReactNode }

/** The header of every screen, with the navigation for a signed-in user: at the bottom of a phone, else in the header. */
export function Frame({ user, screen = '', children }: FrameProps): ReactNode {
  return (
    <div className="wallet">
      {realm === 'test' && <TestLine />}
      <header className="wallet-head" data-test={realm === 'test' || undefined}>
        <p className="wallet-name">
          <PageMark />
          <span>{words.name}</span>
        </p>
        {realm === 'test' && <TestBadge />}
        {user !== null && <Navigation screen={screen} />}
        {user !== null && <Me user={user} />}
      </header>
      <main className="wallet-main">{children}</main>
    </div>
  )
}

const screens: readonly (readonly [keyof typeof words.nav, Address, LucideIcon])[] = [
  ['home', '/', House],
  ['vouchers', '/vouchers', Ticket],
  ['scan', '/scan', ScanQrCode],
  ['activity', '/activity', History],
  ['settings', '/settings', Settings],
]

function Navigation({ screen }: { readonly screen: string }) {
  return (
    <nav className="wallet-nav" aria-label={words.name}>
      {screens.map(([name, to, Icon]) => (
        <Link
          key={name}
          to={to}
          data-key={name === 'scan' || undefined}
          aria-current={`/${screen}` === to ? 'page' : undefined}
        >
          <Icon aria-hidden="true" />
          <span>{words.nav[name]}</span>
        </Link>
      ))}
    </nav>
  )
}

function Me({ user: { fullName } }: { readonly user: User }) {
  return (
    <div className="wallet-me">
      <Link className="icon-button" to="/receive" aria-label={words.receive.heading} title={words.receive.heading}>
        <QrCode aria-hidden="true" />
      </Link>
      <Link className="wallet-me-link" to="/settings">
        <Avatar name={fullName} />
        <span className="for-screen-readers">
          {fullName}, {words.nav.settings}
        </span>
      </Link>
    </div>
  )
}

type ScreenProps = {
  readonly heading: string
  readonly above?: string
  readonly back?: Address
  /** Wide screens have their content in columns. */
  readonly isWide?: boolean
  readonly children: ReactNode
}

/** A screen with a heading, and a link back to the screen above it. */
export function Screen({ heading, above = '', back, isWide = false, children }: ScreenProps): ReactNode {
  return (
    <div className="wallet-screen" data-wide={isWide || undefined}>
      <div className="wallet-screen-head">
        {back !== undefined && <Back to={back} />}
        <PageHeading key={heading} above={above}>
          {heading}
        </PageHeading>
      </div>
      {children}
    </div>
  )
}

export function Back({ to }: { readonly to: Address }): ReactNode {
  return (
    <BackLink className="icon-button wallet-back" to={to} aria-label={words.back} title={words.back}>
      <ArrowLeft aria-hidden="true" />
    </BackLink>
  )
}
