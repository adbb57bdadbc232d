import { useLive } from '../ui/live.ts'
import { act, open, type Person } from './ask-wallet.ts'
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

/** Who has signed in decides what is shown. Offline it is who was here last. */
export function App() {
  const me = useKnown<Person>('/me')
  const route = useRoute()
  const isSignedIn = me.data !== null
  useLive(isSignedIn, live)
  // Every amount is written by what is said here of its currency.
  useCurrencies(isSignedIn)
  const isOut = me.data === null && me.refusal?.code === 'SESSION_MISSING'
  const signOut = () =>
    void act(`/auth/${realm}/sign-out`, {}).then(() => {
      forgetAll()
      location.assign(root)
    })
  if (isOut)
    return (
      <Frame isSignedIn={false}>
        {route[0] === 'sign-up' ? (
          <SignUp />
        ) : (
          <SignIn
            onSignedIn={() => {
              // Somebody else's figures may be here.
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
        <Screens route={route} person={me.data} onSignOut={signOut} />
      )}
    </Frame>
  )
}

type ScreensProps = { readonly route: readonly string[]; readonly person: Person; readonly onSignOut: () => void }

function Screens({ route: [screen = '', id = ''], person, onSignOut }: ScreensProps) {
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
      return <Settings person={person} onSignOut={onSignOut} />
    default:
      return <Home person={person} />
  }
}
