import {
  ArrowLeftRight,
  CalendarDays,
  CheckCheck,
  CircleUser,
  House,
  type LucideIcon,
  ScanLine,
  Ticket,
} from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { Choice } from '../../ui/choice.tsx'
import { PageHeading, PageMark } from '../../ui/page-frame.tsx'
import { TestBand } from '../../ui/test-band.tsx'
import type { Merchant } from './responses.ts'
import './frame.css'
import { type Address, BackLink, enter, Link, type Mode, place } from './place.ts'
import { screensFor, type ScreenName, useShop, useShopName } from './shop.tsx'
import { words } from '../words/words.ts'

type FrameProps = {
  readonly screen: string
  readonly merchants: readonly Merchant[]
  readonly children: ReactNode
}

/** The frame of every screen of a shop: its name, the mode and the navigation. */
export function Frame({ screen, merchants, children }: FrameProps): ReactNode {
  const { merchant, person } = useShop()
  const mode = place?.mode ?? 'live'
  const shown = screensFor(merchant.role)
  return (
    <div className="dashboard" data-mode={mode}>
      <a className="frame-skip" href="#content">
        {words.skip}
      </a>
      {mode === 'test' && (
        <aside className="frame-band" aria-label={words.mode.testLead}>
          <TestBand />
        </aside>
      )}
      <div className="frame">
        <header className="frame-head">
          <p className="page-name frame-name">
            <PageMark />
            {merchant.name}
          </p>
          <ModeSwitch mode={mode} merchant={merchant} />
          {merchants.length > 1 && <ShopSwitch mode={mode} merchant={merchant} merchants={merchants} />}
        </header>
        <nav className="frame-nav" aria-label={words.name}>
          {shown.map((name) => (
            <Link key={name} to={pathOf(name)} aria-current={screen === name ? 'page' : undefined}>
              <NavIcon name={name} />
              <span className="frame-nav-word">{words.nav[name]}</span>
            </Link>
          ))}
          <Link className="frame-person" to="/account" aria-current={screen === 'account' ? 'page' : undefined}>
            <CircleUser className="frame-nav-icon" aria-hidden="true" />
            <span className="frame-person-name">{person.fullName}</span>
            <span className="frame-nav-word">{words.nav.account}</span>
          </Link>
        </nav>
        <main className="frame-main" id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  )
}

const icons: Readonly<Record<ScreenName, LucideIcon>> = {
  home: House,
  till: ScanLine,
  payments: ArrowLeftRight,
  vouchers: Ticket,
  approvals: CheckCheck,
  day: CalendarDays,
}

function NavIcon({ name }: { readonly name: ScreenName }) {
  const Icon = icons[name]
  return <Icon className="frame-nav-icon" aria-hidden="true" />
}

export function pathOf(name: ScreenName): Address {
  return name === 'home' ? '/' : `/${name}`
}

type SwitchProps = { readonly mode: Mode; readonly merchant: Merchant }

function ModeSwitch({ mode, merchant: { code } }: SwitchProps) {
  return (
    <div className="mode-switch" role="group" aria-label={words.mode.label}>
      {(['test', 'live'] as const).map((each) => (
        <button
          key={each}
          type="button"
          data-mode={each}
          aria-pressed={mode === each}
          onClick={() => mode === each || enter({ code, mode: each })}
        >
          <strong>{words.mode[each]}</strong>
          <span>{each === 'test' ? words.mode.testLead : words.mode.liveLead}</span>
        </button>
      ))}
    </div>
  )
}

function ShopSwitch({ mode, merchant, merchants }: SwitchProps & { readonly merchants: readonly Merchant[] }) {
  return (
    <Choice
      label={words.shop.label}
      value={merchant.code}
      onChange={(event) => enter({ code: event.target.value, mode })}
      options={merchants.map(({ code, name }) => [code, name])}
    />
  )
}

type ScreenProps = {
  readonly heading: string
  readonly above?: string
  readonly back?: Address
  /** Buttons beside the heading. */
  readonly acts?: ReactNode
  readonly children: ReactNode
}

/** A screen with its heading and an optional link back. */
export function Screen({ heading, above = '', back, acts, children }: ScreenProps): ReactNode {
  const shopName = useShopName()
  useEffect(() => {
    document.title = `${heading}, ${shopName}`
  }, [heading, shopName])
  return (
    <div className="screen">
      {back !== undefined && (
        <BackLink className="page-way-back" to={back}>
          ← {words.back}
        </BackLink>
      )}
      <div className="screen-head">
        <PageHeading key={heading} above={above}>
          {heading}
        </PageHeading>
        {acts !== undefined && <div className="acts">{acts}</div>}
      </div>
      {children}
    </div>
  )
}

/** The frame of screens outside a shop. */
export function PlainFrame({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="page dashboard-plain">
      {place?.mode === 'test' && <TestBand />}
      <header className="page-head">
        <p className="page-name">
          <PageMark />
          {words.name}
        </p>
      </header>
      <main className="page-main">{children}</main>
    </div>
  )
}
