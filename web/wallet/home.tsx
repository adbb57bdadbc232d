import { ArrowLeftRight, Bitcoin, type LucideIcon, Send, TicketPlus } from 'lucide-react'
import type { ReactNode } from 'react'
import { LatestActivity } from './activity-list.tsx'
import { BalanceNote } from './balance-note.tsx'
import './home.css'
import { useKnown } from './known.ts'
import { useBalances } from './money.tsx'
import type { PaymentRequests, User } from './request-wallet.ts'
import { Requests } from './requests.tsx'
import { Link } from './route.ts'
import { VoucherStrip } from './voucher-strip.tsx'
import { words } from './words.ts'

/** The total balance, what the user can do, what waits for a decision, and the latest activity. */
export function Home({ user }: { readonly user: User | null }): ReactNode {
  const balances = useBalances()
  const requests = useKnown<PaymentRequests>('/wallet/payment-requests')
  return (
    <div className="wallet-screen wallet-home" data-wide>
      <div className="wallet-home-main">
        <BalanceNote balances={balances} />
        <Actions />
        <Requests user={user} requests={requests.data?.requests ?? []} />
        <VoucherStrip />
      </div>
      <LatestActivity />
    </div>
  )
}

const actions = [
  ['send', Send],
  ['redeem', TicketPlus],
  ['exchange', ArrowLeftRight],
  ['deposit', Bitcoin],
] as const satisfies readonly (readonly [string, LucideIcon])[]

function Actions() {
  return (
    <nav className="wallet-actions" aria-label={words.home.actions}>
      {actions.map(([screen, Icon]) => (
        <Link key={screen} to={`/${screen}`}>
          <span className="wallet-action-ring" aria-hidden="true">
            <Icon />
          </span>
          {words.home[screen]}
        </Link>
      ))}
    </nav>
  )
}
