import { Clock, KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { Avatar, IconTile } from '../ui/avatar.tsx'
import { Row } from '../ui/card.tsx'
import { Moment } from '../ui/moment.tsx'
import { Count } from '../ui/pill.tsx'
import { useSecondsUntil } from '../ui/use-seconds-until.ts'
import { Money, useWriteMoney } from './money.tsx'
import type { PaymentRequest, User } from './request-wallet.ts'
import { Link } from './route.ts'
import { words } from './words.ts'

type RequestsProps = { readonly user: User | null; readonly requests: readonly PaymentRequest[] }

/** Open payment requests, announced by screen readers as they arrive, and a reminder to set a PIN. */
export function Requests({ user, requests }: RequestsProps): ReactNode {
  const needsPin = user?.isPinSet === false
  const count = requests.length + Number(needsPin)
  return (
    <section aria-live="polite" className="wallet-requests">
      {count > 0 && (
        <>
          <h2 className="wallet-title">
            {words.home.requests} <Count tone="wait">{count}</Count>
          </h2>
          <ul className="card row-list">
            {needsPin && <PinReminder />}
            {requests.map((request) => (
              <RequestRow key={request.id} request={request} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function PinReminder() {
  const act = (
    <Link className="button" data-kind="quiet" to="/settings">
      {words.home.pinHeading}
    </Link>
  )
  return (
    <li>
      <Row
        lead={<IconTile icon={KeyRound} ink="amber" />}
        title={words.home.pinHeading}
        detail={words.home.pinLead}
        end={act}
      />
    </li>
  )
}

function RequestRow({ request }: { readonly request: PaymentRequest }) {
  const { id, merchant, shop, amount, currency, note, expiresAt } = request
  const write = useWriteMoney()
  const act = (
    <Link className="button" data-kind="main" to={`/pay/${id}`}>
      {words.home.review}
      <span className="for-screen-readers">
        , {words.home.requestFrom(merchant)} {write(amount, currency)}
      </span>
    </Link>
  )
  return (
    <li>
      <Row
        lead={<Avatar name={merchant} picture={shop.logoUrl} />}
        title={
          <strong className="wallet-request-amount">
            <Money value={amount} code={currency} />
          </strong>
        }
        detail={
          <>
            {merchant}
            {note !== '' && ` · ${note}`}
            <TimeLeft until={expiresAt} />
          </>
        }
        end={act}
      />
    </li>
  )
}

const minutesMax = 60

function TimeLeft({ until }: { readonly until: string }) {
  const seconds = useSecondsUntil(until) ?? 0
  const minutes = Math.ceil(seconds / 60)
  return (
    <span className="wallet-time-left" aria-live="off">
      <Clock aria-hidden="true" />
      {minutes < minutesMax ? words.home.minutesLeft(minutes) : <Moment at={until} />}
    </span>
  )
}
