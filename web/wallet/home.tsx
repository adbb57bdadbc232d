import { useState, type ReactNode } from 'react'
import { Amount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { shortDecimal } from '../ui/decimal.ts'
import { Moment } from '../ui/moment.tsx'
import { type Move, type Moves, type PaymentRequest, type PaymentRequests, read, type User } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { Loaded, Money, toCurrency, useBalances } from './parts.tsx'
import { Link } from './route.ts'
import { type Unpaid, UnpaidRow, useUnpaid } from './unpaid.tsx'
import { words } from './words.ts'

export function Home({ user }: { readonly user: User | null }): ReactNode {
  const balances = useBalances()
  const requests = useKnown<PaymentRequests>('/wallet/payment-requests')
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
                  <span className="wallet-balance-name">{toCurrency(held).name}</span>
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
  const unpaid = useUnpaid()
  const cursor = (older ?? newest.data)?.nextCursor ?? ''
  const loadMore = () =>
    void read<Moves>(`/wallet/activity?limit=50&cursor=${cursor}`).then((answer) => {
      if ('data' in answer) setOlder({ ...answer.data, moves: [...(older?.moves ?? []), ...answer.data.moves] })
    })
  return (
    <section>
      <h2>{words.home.activity}</h2>
      <Loaded known={newest}>
        {({ moves }) => {
          const entries = merge([...moves, ...(older?.moves ?? [])], unpaid, cursor === '')
          return entries.length === 0 ? (
            <p className="soft">{words.home.noActivity}</p>
          ) : (
            <ol className="wallet-moves">
              {entries.map((entry) => (
                <li key={entry.key}>
                  {'move' in entry ? <MoveRow move={entry.move} /> : <UnpaidRow unpaid={entry.unpaid} />}
                </li>
              ))}
            </ol>
          )
        }}
      </Loaded>
      {cursor !== '' && <Button onClick={loadMore}>{words.home.more}</Button>}
    </section>
  )
}

type Entry = { readonly key: string; readonly at: string } & ({ readonly move: Move } | { readonly unpaid: Unpaid })

/** Newest first. While older moves are not loaded, payments that did not happen before the last one wait for them. */
function merge(moves: readonly Move[], unpaid: readonly Unpaid[], isComplete: boolean): readonly Entry[] {
  const oldest = isComplete ? '' : (moves.at(-1)?.createdAt ?? '')
  const paid = moves.map((move) => ({ key: `${move.id} ${move.currency}`, at: move.createdAt, move }))
  const others = unpaid.filter(({ at }) => at >= oldest).map((each) => ({ key: each.id, at: each.at, unpaid: each }))
  return [...paid, ...others].toSorted((a, b) => b.at.localeCompare(a.at))
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
  )
}
