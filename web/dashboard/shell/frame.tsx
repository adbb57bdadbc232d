import {
  ArrowLeftRight,
  BanknoteArrowUp,
  Bitcoin,
  CalendarCheck,
  ChartColumn,
  CheckCheck,
  CodeXml,
  CircleUserRound,
  Ellipsis,
  FileText,
  HandCoins,
  House,
  type LucideIcon,
  MoonStar,
  ScanQrCode,
  ScrollText,
  Settings,
  Ticket,
  UserCog,
  Users,
} from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Avatar } from '../../ui/avatar.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PageHeading, PageMark } from '../../ui/page-frame.tsx'
import { Count } from '../../ui/pill.tsx'
import { Toggle } from '../../ui/segmented.tsx'
import { TestBadge, TestLine } from '../../ui/test-mode.tsx'
import { chooseTheme, shownTheme } from '../../ui/theme.ts'
import type { HomeSummary, Merchant } from './responses.ts'
import './frame.css'
import { type Address, BackLink, enter, Link, type Mode, place } from './place.ts'
import { PaletteButton } from './palette-button.tsx'
import { usePeek } from './request-dashboard.ts'
import { isManaged, screensFor, type ScreenName, useShop, useShopName } from './shop.tsx'
import { words } from '../words/words.ts'

type FrameProps = {
  readonly screen: string
  readonly merchants: readonly Merchant[]
  readonly children: ReactNode
}

/** The frame of every screen of a shop: navigation at the side, or at the bottom of a phone, and a bar at the top. */
export function Frame({ screen, merchants, children }: FrameProps): ReactNode {
  const { merchant } = useShop()
  const mode = place?.mode ?? 'live'
  return (
    <div className="dashboard" data-mode={mode}>
      <a className="frame-skip" href="#content">
        {words.skip}
      </a>
      {mode === 'test' && <TestLine />}
      <div className="frame" data-rail={screen === 'till' || undefined}>
        <div className="frame-side">
          <ShopName />
          <SideNavigation screen={screen} />
          <div className="frame-side-end">
            <Places mode={mode} merchant={merchant} merchants={merchants} />
            <Me isCurrent={screen === 'account'} />
          </div>
        </div>
        <header className="frame-bar">
          <ShopName />
          <PaletteButton />
          <div className="frame-bar-end">
            {mode === 'test' && <TestBadge />}
            <ThemeButton />
          </div>
        </header>
        <main className="frame-main" id="content" tabIndex={-1}>
          {children}
        </main>
        <BottomNavigation screen={screen} mode={mode} merchants={merchants} />
      </div>
    </div>
  )
}

function ShopName() {
  const { merchant } = useShop()
  return (
    <p className="frame-shop">
      <PageMark />
      <span title={merchant.name}>{merchant.name}</span>
    </p>
  )
}

const icons: Readonly<Record<ScreenName, LucideIcon>> = {
  home: House,
  till: ScanQrCode,
  payments: ArrowLeftRight,
  vouchers: Ticket,
  invoices: FileText,
  requests: HandCoins,
  payouts: BanknoteArrowUp,
  deposits: Bitcoin,
  approvals: CheckCheck,
  day: CalendarCheck,
  reports: ChartColumn,
  developers: CodeXml,
  customers: Users,
  audit: ScrollText,
  team: UserCog,
  settings: Settings,
}

export function iconOf(name: ScreenName): LucideIcon {
  return icons[name]
}

type NavLinkProps = { readonly name: ScreenName; readonly screen: string; readonly onFollow?: () => void }

function NavLink({ name, screen, onFollow }: NavLinkProps) {
  const Icon = icons[name]
  return (
    <Link
      className="frame-link"
      to={pathOf(name)}
      title={words.nav[name]}
      aria-current={screen === name ? 'page' : undefined}
      onClick={onFollow}
    >
      <Icon aria-hidden="true" />
      <span>{words.nav[name]}</span>
      {name === 'approvals' && <Waiting />}
    </Link>
  )
}

/** The number of requests that wait for an approval, once the home screen has loaded it. */
function Waiting() {
  const { data } = usePeek<HomeSummary>('/merchant/home')
  const waiting = data?.attention.find(({ kind }) => kind === 'outflows_waiting')
  return waiting === undefined ? null : <Count tone="wait">{waiting.count}</Count>
}

function SideNavigation({ screen }: { readonly screen: string }) {
  const { merchant } = useShop()
  return (
    <nav className="frame-links" aria-label={words.name}>
      <NavLinks names={screensFor(merchant.role)} screen={screen} />
    </nav>
  )
}

type NavLinksProps = Omit<NavLinkProps, 'name'> & { readonly names: readonly ScreenName[] }

/** Links in two groups. */
function NavLinks({ names, ...rest }: NavLinksProps) {
  const managed = names.filter(isManaged)
  return (
    <>
      {names
        .filter((name) => !isManaged(name))
        .map((name) => (
          <NavLink key={name} name={name} {...rest} />
        ))}
      {managed.length > 0 && <p className="frame-group">{words.navManage}</p>}
      {managed.map((name) => (
        <NavLink key={name} name={name} {...rest} />
      ))}
    </>
  )
}

const bottomMax = 4

type BottomNavigationProps = {
  readonly screen: string
  readonly mode: Mode
  readonly merchants: readonly Merchant[]
}

function BottomNavigation({ screen, mode, merchants }: BottomNavigationProps) {
  const { merchant } = useShop()
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  const all = screensFor(merchant.role)
  const inBar = all.slice(0, bottomMax)
  const isInBar = inBar.some((name) => name === screen)
  return (
    <nav className="frame-bottom" aria-label={words.navBottom}>
      {inBar.map((name) => {
        const Icon = icons[name]
        return (
          <Link key={name} to={pathOf(name)} aria-current={screen === name ? 'page' : undefined}>
            <Icon aria-hidden="true" />
            {words.nav[name]}
          </Link>
        )
      })}
      <button
        type="button"
        aria-haspopup="dialog"
        aria-current={isInBar ? undefined : 'page'}
        onClick={() => setIsOpen(true)}
      >
        <Ellipsis aria-hidden="true" />
        {words.more}
      </button>
      {isOpen && (
        <Dialog heading={merchant.name} onClose={close}>
          <div className="frame-more">
            <div className="frame-links">
              <NavLinks names={all.slice(bottomMax)} screen={screen} onFollow={close} />
              <Link
                className="frame-link"
                to="/account"
                aria-current={screen === 'account' ? 'page' : undefined}
                onClick={close}
              >
                <CircleUserRound aria-hidden="true" />
                <span>{words.nav.account}</span>
              </Link>
            </div>
            <Places mode={mode} merchant={merchant} merchants={merchants} />
          </div>
        </Dialog>
      )}
    </nav>
  )
}

function Me({ isCurrent }: { readonly isCurrent: boolean }) {
  const { person, merchant } = useShop()
  return (
    <Link className="frame-me" to="/account" aria-current={isCurrent ? 'page' : undefined}>
      <Avatar name={person.fullName} size="s" />
      <span>
        {person.fullName}
        <small>
          {words.shop.roles[merchant.role]}
          <span className="for-screen-readers">, {words.nav.account}</span>
        </small>
      </span>
    </Link>
  )
}

export function pathOf(name: ScreenName): Address {
  return name === 'home' ? '/' : `/${name}`
}

type PlacesProps = { readonly mode: Mode; readonly merchant: Merchant; readonly merchants: readonly Merchant[] }

/** The mode and, for staff of several shops, the shop. */
function Places({ mode, merchant, merchants }: PlacesProps) {
  const { code } = merchant
  return (
    <>
      {merchants.length > 1 && (
        <Choice
          label={words.shop.label}
          value={code}
          onChange={(event) => enter({ code: event.target.value, mode })}
          options={merchants.map((each) => [each.code, each.name])}
        />
      )}
      <div className="mode-switch" data-mode={mode}>
        <span>{words.mode.test}</span>
        <Toggle
          label={words.mode.test}
          isOn={mode === 'test'}
          onToggle={(isTest) => enter({ code, mode: isTest ? 'test' : 'live' })}
        />
      </div>
    </>
  )
}

function ThemeButton() {
  const [theme, setTheme] = useState(shownTheme)
  const other = theme === 'dark' ? 'light' : 'dark'
  const change = () => {
    chooseTheme(other)
    setTheme(other)
  }
  return (
    <IconButton label={words.theme[other]} onClick={change}>
      <MoonStar aria-hidden="true" />
    </IconButton>
  )
}

type ScreenProps = {
  readonly heading: string
  readonly above?: string
  /** A line below the heading. */
  readonly lead?: ReactNode
  readonly back?: Address
  /** Buttons beside the heading. */
  readonly acts?: ReactNode
  readonly children: ReactNode
}

/** A screen with its heading and an optional link back. */
export function Screen({ heading, above = '', lead, back, acts, children }: ScreenProps): ReactNode {
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
        <div>
          <PageHeading key={heading} above={above}>
            {heading}
          </PageHeading>
          {lead !== undefined && <p className="soft">{lead}</p>}
        </div>
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
      {place?.mode === 'test' && <TestLine />}
      <header className="page-head">
        <p className="page-name">
          <PageMark />
          {words.name}
        </p>
        {place?.mode === 'test' && <TestBadge />}
      </header>
      <main className="page-main">{children}</main>
    </div>
  )
}
