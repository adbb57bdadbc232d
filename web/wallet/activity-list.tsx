import { Bitcoin } from 'lucide-react'
import type { ReactNode } from 'react'
import { Avatar, IconTile } from '../ui/avatar.tsx'
import { Row } from '../ui/card.tsx'
import { Moment } from '../ui/moment.tsx'
import { Pill } from '../ui/pill.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import './activity-list.css'
import { groupByDay } from './day.ts'
import { type Entry, mergeEntries, type Unpaid, useUnpaid } from './entries.ts'
import { useAreAmountsHidden } from './hidden-amounts.ts'
import { useKnown } from './known.ts'
import { PrivateMoney, useWriteMoney } from './money.tsx'
import { isOut, nameOfMove, tiles } from './move.ts'
import { Loaded } from './parts.tsx'
import type { Move, Moves } from './request-wallet.ts'
import { Link } from './route.ts'
import { words } from './words.ts'

export const activityPath = '/wallet/activity?limit=20'
const shownMax = 10

/** The newest entries, on the start screen. */
export function LatestActivity(): ReactNode {
  const newest = useKnown<Moves>(activityPath)
  const unpaid = useUnpaid()
  return (
    <section>
      <h2 className="wallet-title">
        {words.home.activity}
        <Link className="link" to="/activity">
          {words.home.viewAll}
        </Link>
      </h2>
      <Loaded known={newest} placeholder={<SkeletonRows count={5} />}>
        {({ moves, hasMore }) => {
          const entries = mergeEntries(moves, unpaid, !hasMore).slice(0, shownMax)
          return entries.length === 0 ? (
            <p className="soft">{words.home.noActivity}</p>
          ) : (
            <ActivityList entries={entries} />
          )
        }}
      </Loaded>
    </section>
  )
}

/** Entries by day, newest first. */
export function ActivityList({ entries }: { readonly entries: readonly Entry[] }): ReactNode {
  return (
    <div className="wallet-days">
      {groupByDay(entries).map(({ name, entries: ofDay }) => (
        <section key={name}>
          <h3 className="wallet-day">{name}</h3>
          <ol className="card row-list wallet-moves">
            {ofDay.map((entry) => (
              <li key={entry.key}>
                {'move' in entry ? (
                  <MoveRow move={entry.move} from={entry.from} />
                ) : (
                  <UnpaidRow unpaid={entry.unpaid} />
                )}
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

type MoveRowProps = { readonly move: Move; readonly from: Move | undefined }

function MoveRow({ move, from }: MoveRowProps) {
  const { id, kind, amount, currency, withName, createdAt } = move
  const tile = tiles[kind]
  const isOnNetwork = kind === 'deposited'
  const title = withName === '' || isOnNetwork ? nameOfMove(move) : withName
  return (
    <Row
      lead={tile === undefined ? <Avatar name={title} /> : <IconTile {...tile} />}
      title={
        <Link className="cover-link wallet-move" to={`/receipt/${id}`}>
          {title}
        </Link>
      }
      detail={<MoveDetail move={move} from={from} />}
      end={
        <>
          <span className="row-amount">
            <PrivateMoney
              value={amount.replace('-', '')}
              code={currency}
              sign={isOut(move) ? '−' : '+'}
              tone={isOut(move) ? 'plain' : 'in'}
            />
          </span>
          <span className="row-detail">
            <Moment at={createdAt} form="time" />
          </span>
        </>
      }
    />
  )
}

/** What happened, and for what. */
function MoveDetail({ move, from }: MoveRowProps): string {
  const areHidden = useAreAmountsHidden()
  const write = useWriteMoney()
  const { kind, withName, note } = move
  if (from !== undefined)
    return areHidden ? '' : words.activity.fromAmount(write(from.amount.replace('-', ''), from.currency))
  if (kind === 'deposited') return withName
  // The note of a funding is the reference of the operator.
  const shownNote = kind === 'funded' ? '' : note
  return [withName === '' ? '' : nameOfMove(move), shownNote].filter((text) => text !== '').join(' · ')
}

function UnpaidRow({ unpaid }: { readonly unpaid: Unpaid }) {
  const { kind, to, name, note, status, isConfirming, amount, currency } = unpaid
  return (
    <Row
      lead={kind === 'request' ? <Avatar name={name} /> : <IconTile icon={Bitcoin} ink="amber" />}
      title={
        <Link className="cover-link wallet-move" to={to}>
          {name}
        </Link>
      }
      detail={note}
      end={
        <>
          <span className="row-amount">
            {isConfirming ? (
              <PrivateMoney value={amount} code={currency} sign="+" />
            ) : (
              <del>
                <PrivateMoney value={amount} code={currency} tone="soft" />
              </del>
            )}
          </span>
          <Pill tone={isConfirming ? 'busy' : 'over'} isLong>
            {status}
          </Pill>
        </>
      }
    />
  )
}
