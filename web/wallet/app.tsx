import { type ReactNode, useEffect, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { useLive } from '../ui/live.ts'
import { act, mePath, open, type User, whenSessionEnds } from './request-wallet.ts'
import { Buy } from './buy.tsx'
import { Deposit, OneDeposit } from './deposit.tsx'
import { Exchange } from './exchange.tsx'
import { Frame, Screen } from './frame.tsx'
import { Home } from './home.tsx'
import { forgetAll, refresh, refreshShown, useCurrencies, useKnown } from './known.ts'
import { Loaded } from './parts.tsx'
import { Pay } from './pay.tsx'
import { realm } from './realm.ts'
import { Receipt } from './receipt.tsx'
import { Redeem } from './redeem.tsx'
import { type Address, go, root } from './route.ts'
import { Send } from './send.tsx'
import { Settings } from './settings.tsx'
import { SignIn } from './sign-in.tsx'
import { SignUp } from './sign-up.tsx'
import { OneVoucher, Vouchers } from './vouchers.tsx'
import { words } from './words.ts'

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
      <Frame isSignedIn={false}>
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
      </Frame>
    )
  return (
    <Frame isSignedIn={isSignedIn} screen={screen}>
      {me.data === null ? (
        <Screen heading={words.name}>
          <Loaded known={me}>{() => null}</Loaded>
        </Screen>
      ) : (
        <Screens user={me.data} onSignOut={signOut} />
      )}
    </Frame>
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
      <Route path="/send" component={Send} />
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
