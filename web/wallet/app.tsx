import type { ReactNode } from 'react'
import { useLive } from '../ui/live.ts'
import { act, open, type User } from './request-wallet.ts'
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
import { go, root, useRoute } from './route.ts'
import { Send } from './send.tsx'
import { Settings } from './settings.tsx'
import { SignIn } from './sign-in.tsx'
import { SignUp } from './sign-up.tsx'
import { OneVoucher, Vouchers } from './vouchers.tsx'
import { words } from './words.ts'

const live = { listen: (signal: AbortSignal) => open('/wallet/stream', signal), onChange: refreshShown }

/** Shows the sign-in form or the signed-in user's screens. Offline, the user of the last visit counts as signed in. */
export function App(): ReactNode {
  const me = useKnown<User>('/me')
  const route = useRoute()
  const isSignedIn = me.data !== null
  useLive(isSignedIn, live)
  // Amounts need the names of the currencies.
  useCurrencies(isSignedIn)
  const isSignedOut = me.data === null && me.refusal?.code === 'SESSION_MISSING'
  const signOut = () =>
    void act(`/auth/${realm}/sign-out`, {}).then(() => {
      forgetAll()
      location.assign(root)
    })
  if (isSignedOut)
    return (
      <Frame isSignedIn={false}>
        {route[0] === 'sign-up' ? (
          <SignUp />
        ) : (
          <SignIn
            onSignedIn={() => {
              // The cache may hold another user's data.
              forgetAll()
              go(route[0] === 'sign-in' ? '' : `/${route.join('/')}`, 'replace')
              void refresh('/me')
            }}
          />
        )}
      </Frame>
    )
  return (
    <Frame isSignedIn={isSignedIn} screen={route[0] ?? ''}>
      {me.data === null ? (
        <Screen heading={words.name}>
          <Loaded known={me}>{() => null}</Loaded>
        </Screen>
      ) : (
        <Screens route={route} user={me.data} onSignOut={signOut} />
      )}
    </Frame>
  )
}

type ScreensProps = { readonly route: readonly string[]; readonly user: User; readonly onSignOut: () => void }

function Screens({ route: [screen = '', id = ''], user, onSignOut }: ScreensProps) {
  switch (screen) {
    case 'pay':
      return <Pay key={id} id={id} />
    case 'send':
      return <Send />
    case 'exchange':
      return <Exchange />
    case 'vouchers':
      return id === '' ? <Vouchers /> : <OneVoucher key={id} id={id} />
    case 'buy':
      return <Buy />
    case 'redeem':
      return <Redeem id={id === '' ? undefined : id} />
    case 'deposit':
      return id === '' ? <Deposit /> : <OneDeposit key={id} id={id} />
    case 'receipt':
      return <Receipt key={id} id={id} />
    case 'settings':
      return <Settings user={user} onSignOut={onSignOut} />
    default:
      return <Home user={user} />
  }
}
