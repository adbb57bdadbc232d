import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { useLive } from '../ui/live.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { Frame, Screen } from './frame.tsx'
import { Home } from './home.tsx'
import { forgetAll, refresh, refreshShown, useCurrencies, useKnown } from './known.ts'
import { Loaded } from './parts.tsx'
import { Pay } from './pay.tsx'
import { realm } from './realm.ts'
import { act, mePath, open, type User, whenSessionEnds } from './request-wallet.ts'
import { type Address, go, root } from './route.ts'
import { SignIn } from './sign-in.tsx'
import { words } from './words.ts'

// The start screen and payments load first. The other screens are files of their own.
const Activity = lazy(async () => ({ default: (await import('./activity.tsx')).Activity }))
const Buy = lazy(async () => ({ default: (await import('./buy.tsx')).Buy }))
const Deposit = lazy(async () => ({ default: (await import('./deposit.tsx')).Deposit }))
const Exchange = lazy(async () => ({ default: (await import('./exchange.tsx')).Exchange }))
const OneDeposit = lazy(async () => ({ default: (await import('./deposit.tsx')).OneDeposit }))
const OneVoucher = lazy(async () => ({ default: (await import('./vouchers.tsx')).OneVoucher }))
const Receipt = lazy(async () => ({ default: (await import('./receipt.tsx')).Receipt }))
const Receive = lazy(async () => ({ default: (await import('./receive.tsx')).Receive }))
const Redeem = lazy(async () => ({ default: (await import('./redeem.tsx')).Redeem }))
const Scan = lazy(async () => ({ default: (await import('./scan.tsx')).Scan }))
const Send = lazy(async () => ({ default: (await import('./send.tsx')).Send }))
const Settings = lazy(async () => ({ default: (await import('./settings.tsx')).Settings }))
const SignUp = lazy(async () => ({ default: (await import('./sign-up.tsx')).SignUp }))
const Vouchers = lazy(async () => ({ default: (await import('./vouchers.tsx')).Vouchers }))

const live = { listen: (signal: AbortSignal) => open('/wallet/stream', signal), onChange: refreshShown }

/** Shows the sign-in form or the signed-in user's screens. Offline, the user of the last visit counts as signed in. */
export function App(): ReactNode {
  const me = useKnown<User>(mePath)
  const [path] = useLocation()
  const screen = path.split('/')[1] ?? ''
  const isSignedIn = me.data !== null
  useLive(isSignedIn, live)
  // Amounts need the names of the currencies.
  useCurrencies(isSignedIn)
  const isSignedOut = me.data === null && me.refusal?.code === 'SESSION_MISSING'
  const left = useLeftScreen(isSignedOut, path)
  useEffect(() => whenSessionEnds(() => void refresh(mePath)), [])
  const signOut = () =>
    void act(`/auth/${realm}/sign-out`, {}).then(() => {
      forgetAll()
      location.assign(root)
    })
  if (isSignedOut)
    return (
      <Frame user={null}>
        <Suspense fallback={<Loading />}>
          {screen === 'sign-up' ? (
            <SignUp />
          ) : (
            <SignIn
              onSignedIn={() => {
                // The cache may hold another user's data.
                forgetAll()
                go(left, 'replace')
                void refresh(mePath)
              }}
            />
          )}
        </Suspense>
      </Frame>
    )
  return (
    <Frame user={me.data} screen={screen}>
      {me.data === null ? (
        <Screen heading={words.name}>
          <Loaded known={me} placeholder={<Skeleton shape="block" />}>
            {() => null}
          </Loaded>
        </Screen>
      ) : (
        <Suspense fallback={<Loading />}>
          <Screens user={me.data} onSignOut={signOut} />
        </Suspense>
      )}
    </Frame>
  )
}

/** In the shape of a screen, while its file loads. */
function Loading() {
  return (
    <div className="wallet-screen" role="status" aria-label={words.loading}>
      <Skeleton shape="amount" />
      <Skeleton shape="block" />
    </div>
  )
}

/** The screen on which the session ended. The user returns to it, also by way of another screen without a session. */
function useLeftScreen(isSignedOut: boolean, path: string): Address {
  const [left, setLeft] = useState('/')
  const isOpenToAll = /^\/(sign-in|sign-up)?$/.test(path)
  if (isSignedOut && !isOpenToAll && left !== path) setLeft(path)
  // The address of a screen that the user was on.
  return (isOpenToAll ? left : path) as Address
}

type ScreensProps = { readonly user: User; readonly onSignOut: () => void }

function Screens({ user, onSignOut }: ScreensProps) {
  return (
    <Switch>
      <Route path="/pay/:id">{({ id }) => <Pay key={id} id={id} />}</Route>
      <Route path="/activity" component={Activity} />
      <Route path="/scan" component={Scan} />
      <Route path="/receive">
        <Receive user={user} />
      </Route>
      <Route path="/send/:to?">{({ to }) => <Send key={to} to={to} />}</Route>
      <Route path="/exchange" component={Exchange} />
      <Route path="/vouchers" component={Vouchers} />
      <Route path="/vouchers/:id">{({ id }) => <OneVoucher key={id} id={id} />}</Route>
      <Route path="/buy" component={Buy} />
      <Route path="/redeem/:id?">{({ id }) => <Redeem id={id} />}</Route>
      <Route path="/deposit" component={Deposit} />
      <Route path="/deposit/:id">{({ id }) => <OneDeposit key={id} id={id} />}</Route>
      <Route path="/receipt/:id">{({ id }) => <Receipt key={id} id={id} />}</Route>
      <Route path="/settings">
        <Settings user={user} onSignOut={onSignOut} />
      </Route>
      <Route>
        <Home user={user} />
      </Route>
    </Switch>
  )
}
