import { useEffect, type ReactNode } from 'react'
import { useLive } from '../ui/live.ts'
import { SignInForm } from '../ui/sign-in-form.tsx'
import { Account } from './account.tsx'
import type { Merchant, Merchants, Person } from './responses.ts'
import { Approvals } from './approvals.tsx'
import { act, forgetAll, open, refresh, refreshShown, useKnown } from './request-dashboard.ts'
import { Day } from './day.tsx'
import { Frame, pathOf, PlainFrame, Screen } from './frame.tsx'
import { Home } from './home.tsx'
import { LanguageChoice } from './language-choice.tsx'
import { OnePaymentScreen } from './payment.tsx'
import { Payments } from './payments.tsx'
import { Link, place, rememberPlace, useRoute } from './place.ts'
import { LiveSecondFactor, RequiredSecondFactor } from './second-factor.tsx'
import { currenciesPath, Empty, Loaded, screensFor, type ScreenName, ShopProvider } from './shop.tsx'
import { ChooseShop, UnknownShop } from './shops.tsx'
import { Switch } from './till-switch.tsx'
import { Till } from './till.tsx'
import { VoucherScreens } from './voucher-screens.tsx'
import { describeError, words } from './words.ts'

/** Shows the sign-in form, the second-factor setup or the shops of the signed-in staff member. */
export function App(): ReactNode {
  const me = useKnown<Person>('/me')
  if (me.data === null && me.refusal?.code === 'SESSION_MISSING') return <SignIn />
  if (me.data === null)
    return (
      <PlainFrame>
        <Screen heading={words.name}>
          <Loaded known={me}>{() => null}</Loaded>
        </Screen>
      </PlainFrame>
    )
  if (me.data.mustSetUpSecondFactor) return <RequiredSecondFactor />
  return <Shops person={me.data} />
}

const formWords = { ...words.signIn, oneMoment: words.oneMoment }

function SignIn() {
  const onSignedIn = () => {
    // Data of another staff member may still be cached.
    forgetAll()
    void refresh('/me')
  }
  return (
    <PlainFrame>
      <Screen heading={words.signIn.heading}>
        <p className="soft">{words.signIn.lead}</p>
        <SignInForm realm="staff" act={act} words={formWords} say={describeError} onSignedIn={onSignedIn} />
        <div className="narrow">
          <LanguageChoice />
        </div>
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

function InShop({ merchant: { role }, merchants }: InShopProps) {
  const [first = '', second = '', third = ''] = useRoute()
  // A cashier starts at the till.
  const [start = 'home'] = screensFor(role)
  const screen = first === '' ? start : first
  useLive(true, live)
  useEffect(rememberPlace, [])
  // Loads the currencies once for all screens. Amounts are written with their names.
  useKnown(currenciesPath)
  const isAllowed = screen === 'account' || screensFor(role).includes(screen as ScreenName)
  return (
    <Frame screen={screen} merchants={merchants}>
      {isAllowed ? <ScreenOf screen={screen} second={second} third={third} /> : <NotHere start={start} />}
    </Frame>
  )
}

type ScreenOfProps = { readonly screen: string; readonly second: string; readonly third: string }

function ScreenOf({ screen, second, third }: ScreenOfProps) {
  switch (screen) {
    case 'till':
      return second === 'switch' ? <Switch /> : <Till />
    case 'day':
      return <Day />
    case 'payments':
      return second === '' ? <Payments /> : <OnePaymentScreen key={second} reference={second} />
    case 'vouchers':
      return <VoucherScreens what={second} id={third} />
    case 'approvals':
      return <Approvals />
    case 'account':
      return <Account />
    default:
      return <Home />
  }
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
