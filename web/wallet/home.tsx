import { useState, type ReactNode } from 'react'
import { Amount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { shortDecimal } from '../ui/decimal.ts'
import { Moment } from '../ui/moment.tsx'
import { type Move, type Moves, type OpenRequests, type PaymentRequest, read, type User } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { Loaded, Money, toCurrency, useBalances } from './parts.tsx'
import { Link } from './route.ts'
import { words } from './words.ts'

export function Home({ user }: { readonly user: User | null }): ReactNode {
  const balances = useBalances()
  const requests = useKnown<OpenRequests>('/wallet/payment-requests')
  return (
    <Screen heading={words.home.heading}>
      <Loaded known={balances}>
        {() =>
          balances.held.length === 0 ? (
            <div className="empty">
              <p>{words.home.nothing}</p>
              <p>{words.home.nothingLead}</p>
            </div>
          ) : (
            <ul className="wallet-balances">
              {balances.held.map((held) => (
                <li key={held.currency}>
                  <span className="wallet-balance-name">{held.name}</span>
                  <Amount value={shortDecimal(held.available)} currency={toCurrency(held)} size="large" />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Waiting user={user} requests={requests.data?.requests ?? []} />
      <ul className="wallet-ways">
        {(['send', 'exchange', 'redeem', 'deposit'] as const).map((screen) => (
          <li key={screen}>
            <Link className="button" data-kind="quiet" to={`/${screen}`}>
              {words.home[screen]}
            </Link>
          </li>
        ))}
      </ul>
      <Activity />
    </Screen>
  )
}

type WaitingProps = { readonly user: User | null; readonly requests: readonly PaymentRequest[] }

/** Open payment requests, announced by screen readers as they arrive, and a reminder to set a PIN. */
function Waiting({ user, requests }: WaitingProps) {
  const needsPin = user?.isPinSet === false
  return (
    <section aria-live="polite" className="wallet-waiting">
      {(needsPin || requests.length > 0) && <h2>{words.home.requests}</h2>}
      {needsPin && (
        <Link className="wallet-card" to="/settings">
          <span>
            <strong>{words.home.pinHeading}</strong>
            <br />
            {words.home.pinLead}
          </span>
        </Link>
      )}
      {requests.map(({ id, merchant, amount, currency, note }) => (
        <Link className="wallet-card" key={id} to={`/pay/${id}`}>
          <span>
            {words.home.requestFrom(merchant)}
            <br />
            <strong>
              <Money value={amount} code={currency} />
            </strong>
            {note !== '' && <span className="soft"> {note}</span>}
          </span>
          <span className="wallet-card-act">{words.home.review}</span>
        </Link>
      ))}
    </section>
  )
}

function Activity() {
  const newest = useKnown<Moves>('/wallet/activity?limit=20')
  const [older, setOlder] = useState<Moves | null>(null)
  const cursor = (older ?? newest.data)?.nextCursor ?? ''
  const loadMore = () =>
    void read<Moves>(`/wallet/activity?limit=50&cursor=${cursor}`).then((answer) => {
      if ('data' in answer) setOlder({ ...answer.data, moves: [...(older?.moves ?? []), ...answer.data.moves] })
    })
  return (
    <section>
      <h2>{words.home.activity}</h2>
      <Loaded known={newest}>
        {({ moves }) =>
          moves.length === 0 ? (
            <p className="soft">{words.home.noActivity}</p>
          ) : (
            <ol className="wallet-moves">
              {[...moves, ...(older?.moves ?? [])].map((move) => (
                <MoveRow key={`${move.id} ${move.currency}`} move={move} />
              ))}
            </ol>
          )
        }
      </Loaded>
      {cursor !== '' && <Button onClick={loadMore}>{words.home.more}</Button>}
    </section>
  )
}

export function nameOfMove({ kind, amount }: Pick<Move, 'kind' | 'amount'>): string {
  const names: Readonly<Record<string, string>> = words.moves
  // A chain reorganisation has reversed a confirmed deposit.
  const key = kind === 'deposited' && amount.startsWith('-') ? 'undone' : kind
  return names[key] ?? kind
}

function MoveRow({ move }: { readonly move: Move }) {
  const { id, amount, currency, withName, createdAt } = move
  const isIn = !amount.startsWith('-')
  return (
    <li>
      <Link className="wallet-move" to={`/receipt/${id}`}>
        <span>
          <span className="wallet-move-name">{withName === '' ? nameOfMove(move) : withName}</span>
          <span className="soft">
            {withName !== '' && `${nameOfMove(move)}, `}
            <Moment at={createdAt} />
          </span>
        </span>
        <Money value={amount.replace('-', '')} code={currency} sign={isIn ? '+' : '−'} tone={isIn ? 'in' : 'plain'} />
      </Link>
    </li>
  )
}
