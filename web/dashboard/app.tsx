import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { Empty } from '../ui/empty.tsx'
import { useLive } from '../ui/live.ts'
import { SignInForm } from '../ui/sign-in-form.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import type { Merchant, Merchants, Person } from './shell/responses.ts'
import { act, brandPath, forgetAll, open, refresh, refreshShown, useKnown, usePeek } from './shell/request-dashboard.ts'
import { Frame, pathOf, PlainFrame, Screen } from './shell/frame.tsx'
import { Home } from './home/home.tsx'
import { LanguageChoice } from './parts/language-choice.tsx'
import { Link, place, rememberPlace } from './shell/place.ts'
import { LiveSecondFactor, RequiredSecondFactor } from './settings/second-factor.tsx'
import { currenciesPath, Loaded, navigationOf, screensFor, type ScreenName, ShopProvider } from './shell/shop.tsx'
import { ChooseShop, UnknownShop } from './settings/shops.tsx'
import { SwitchCashier } from './till/till-switch.tsx'
import { Till } from './till/till.tsx'
import { describeError, words } from './words/words.ts'

// The till and the start page load first. The other rooms are files of their own.
const Account = lazy(async () => ({ default: (await import('./settings/account.tsx')).Account }))
const Approvals = lazy(async () => ({ default: (await import('./approvals/approvals.tsx')).Approvals }))
const Audit = lazy(async () => ({ default: (await import('./audit/audit.tsx')).Audit }))
const BrandScreen = lazy(async () => ({ default: (await import('./settings/brand.tsx')).BrandScreen }))
const CustomerScreens = lazy(async () => ({
  default: (await import('./customers/customer-screens.tsx')).CustomerScreens,
}))
const Day = lazy(async () => ({ default: (await import('./reports/day.tsx')).Day }))
const DeveloperScreens = lazy(async () => ({
  default: (await import('./developers/developer-screens.tsx')).DeveloperScreens,
}))
const InvoiceScreens = lazy(async () => ({ default: (await import('./invoices/invoice-screens.tsx')).InvoiceScreens }))
const LocationsScreen = lazy(async () => ({ default: (await import('./settings/locations.tsx')).LocationsScreen }))
const OnePaymentScreen = lazy(async () => ({ default: (await import('./payments/payment.tsx')).OnePaymentScreen }))
const Payments = lazy(async () => ({ default: (await import('./payments/payments.tsx')).Payments }))
const Reports = lazy(async () => ({ default: (await import('./reports/reports.tsx')).Reports }))
const PayoutScreens = lazy(async () => ({ default: (await import('./payouts/payout-screens.tsx')).PayoutScreens }))
const DepositScreens = lazy(async () => ({ default: (await import('./deposits/deposit-screens.tsx')).DepositScreens }))
const RequestScreens = lazy(async () => ({ default: (await import('./requests/request-screens.tsx')).RequestScreens }))
const SellScreens = lazy(async () => ({ default: (await import('./sell/sell-screens.tsx')).SellScreens }))
const Settings = lazy(async () => ({ default: (await import('./settings/settings.tsx')).Settings }))
const TeamScreens = lazy(async () => ({ default: (await import('./team/team-screens.tsx')).TeamScreens }))
const VoucherScreens = lazy(async () => ({ default: (await import('./vouchers/voucher-screens.tsx')).VoucherScreens }))

/** Shows the sign-in form, the second-factor setup or the shops of the signed-in staff member. */
export function App(): ReactNode {
  const me = useKnown<Person>('/me')
  const isSignedOut = me.data === null && me.refusal?.code === 'SESSION_MISSING'
  const [last, setLast] = useState<Person | null>(null)
  if (me.data !== null && last === null) setLast(me.data)
  const isAnother = me.data !== null && last !== null && me.data.id !== last.id
  useEffect(() => {
    // Nothing of the previous staff member may stay on the page.
    if (isAnother) location.reload()
  }, [isAnother])
  if (isAnother) return null
  // When a session ends, the screen stays in the background: the same staff member continues after signing in.
  const person = me.data ?? (isSignedOut ? last : null)
  if (person === null && isSignedOut) return <SignIn hasEnded={false} />
  if (person === null)
    return (
      <PlainFrame>
        <Screen heading={words.name}>
          <Loaded known={me}>{() => null}</Loaded>
        </Screen>
      </PlainFrame>
    )
  return (
    <>
      {isSignedOut && <SignIn hasEnded />}
      <div hidden={isSignedOut}>
        {person.mustSetUpSecondFactor ? <RequiredSecondFactor /> : <Shops person={person} />}
      </div>
    </>
  )
}

const formWords = { ...words.signIn, oneMoment: words.oneMoment }

function SignIn({ hasEnded }: { readonly hasEnded: boolean }) {
  const onSignedIn = () => {
    // Data of another staff member may still be cached.
    if (!hasEnded) forgetAll()
    void refresh('/me').then(refreshShown)
  }
  return (
    <PlainFrame>
      <Screen heading={hasEnded ? words.signIn.endedHeading : words.signIn.heading}>
        <p className="soft">{hasEnded ? words.signIn.endedLead : words.signIn.lead}</p>
        <SignInForm realm="staff" act={act} words={formWords} say={describeError} onSignedIn={onSignedIn} />
        <div className="narrow">{!hasEnded && <LanguageChoice />}</div>
      </Screen>
    </PlainFrame>
  )
}

function Shops({ person }: { readonly person: Person }) {
  const known = useKnown<Merchants>('/me/merchants')
  const merchants = known.data?.merchants ?? []
  const merchant = merchants.find(({ code }) => code === place?.code)
  if (known.data === null || merchant === undefined)
    return (
      <PlainFrame>
        {known.data === null ? (
          <Screen heading={words.name}>
            <Loaded known={known}>{() => null}</Loaded>
          </Screen>
        ) : place === null ? (
          <ChooseShop person={person} merchants={merchants} />
        ) : (
          <UnknownShop />
        )}
      </PlainFrame>
    )
  // The server refuses live mode to an owner without a second factor.
  const needsSecondFactor =
    place?.mode === 'live' && merchant.role === 'owner' && !merchant.isTill && !person.hasSecondFactor
  return (
    <ShopProvider value={{ merchant, person }}>
      {needsSecondFactor ? (
        <Frame screen="" merchants={merchants}>
          <LiveSecondFactor />
        </Frame>
      ) : (
        <InShop merchant={merchant} merchants={merchants} />
      )}
    </ShopProvider>
  )
}

const live = { listen: (signal: AbortSignal) => open('/merchant/stream', signal), onChange: refreshShown }

type InShopProps = { readonly merchant: Merchant; readonly merchants: readonly Merchant[] }

function InShop({ merchant: { role, isTill }, merchants }: InShopProps) {
  const [path] = useLocation()
  // A cashier starts at the till.
  const [start = 'home'] = screensFor(role)
  const screen = navigationOf(role, path.split('/')[1] || start)
  useLive(usePeek<Person>('/me').data !== null, live)
  useEffect(rememberPlace, [])
  // Loads the currencies once for all screens. Amounts are written with their names.
  useKnown(currenciesPath)
  // And what receipts show of the shop.
  useKnown(brandPath)
  const isOwner = role === 'owner' && !isTill
  const isAllowed = screen === 'account' || screensFor(role).includes(screen as ScreenName)
  return (
    <Frame screen={screen} merchants={merchants}>
      <Suspense fallback={<Skeleton shape="amount" />}>
        {isAllowed ? <Screens start={start} isOwner={isOwner} /> : <NotHere start={start} />}
      </Suspense>
    </Frame>
  )
}

function Screens({ start, isOwner }: { readonly start: ScreenName; readonly isOwner: boolean }) {
  return (
    <Switch>
      <Route path="/till" component={Till} />
      <Route path="/till/switch" component={SwitchCashier} />
      <Route path="/sell/*?" component={SellScreens} />
      <Route path="/day" component={Day} />
      <Route path="/payments" component={Payments} />
      <Route path="/payments/:reference">
        {({ reference }) => <OnePaymentScreen key={reference} reference={reference} />}
      </Route>
      <Route path="/vouchers/*?" component={VoucherScreens} />
      <Route path="/invoices/*?" component={InvoiceScreens} />
      <Route path="/requests/*?" component={RequestScreens} />
      <Route path="/payouts/*?" component={PayoutScreens} />
      <Route path="/deposits/*?" component={DepositScreens} />
      <Route path="/approvals" component={Approvals} />
      <Route path="/developers/*?" component={DeveloperScreens} />
      <Route path="/customers/*?" component={CustomerScreens} />
      <Route path="/team/*?" component={TeamScreens} />
      <Route path="/audit" component={Audit} />
      <Route path="/settings" component={Settings} />
      <Route path="/reports/*?" component={Reports} />
      <Route path="/account" component={Account} />
      {isOwner && <Route path="/settings/brand" component={BrandScreen} />}
      {isOwner && <Route path="/settings/locations" component={LocationsScreen} />}
      <Route path="/">{start === 'till' ? <Till /> : <Home />}</Route>
      <Route>
        <NotHere start={start} />
      </Route>
    </Switch>
  )
}

function NotHere({ start }: { readonly start: ScreenName }) {
  return (
    <Screen heading={words.notHere}>
      <Empty heading={words.notHere} lead={words.notHereLead}>
        <Link className="button" data-kind="main" to={pathOf(start)}>
          {words.nav[start]}
        </Link>
      </Empty>
    </Screen>
  )
}
