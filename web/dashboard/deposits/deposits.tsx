import type { ReactNode } from 'react'
import { Empty } from '../../ui/empty.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import type { DepositCase, DepositCases } from '../shell/responses.ts'
import { Screen } from '../shell/frame.tsx'
import { usePages } from '../parts/pages.tsx'
import { Status } from '../parts/status.tsx'
import { Link } from '../shell/place.ts'
import { Loaded, Money, When } from '../shell/shop.tsx'
import { money } from '../words/money.ts'
import { nameOf, words } from '../words/words.ts'

const columns: readonly Column<DepositCase>[] = [
  {
    name: money.deposits.what,
    kind: 'head',
    cell: ({ id, kind, reference }) => (
      <>
        <Link className="cover-link" to={`/deposits/${id}`}>
          {nameOf(money.deposits.kinds, kind)}
        </Link>
        <span className="table-second">
          <code>{reference}</code>
        </span>
      </>
    ),
  },
  {
    name: money.deposits.resolution,
    cell: ({ resolution }) =>
      resolution === '' ? (
        <Status of="PENDING" names={{ PENDING: money.deposits.open }} />
      ) : (
        <Status of={resolution} names={money.deposits.resolutions} />
      ),
  },
  { name: money.deposits.openedAt, kind: 'second', cell: ({ openedAt }) => <When at={openedAt} /> },
  {
    name: words.amount,
    kind: 'sum',
    cell: ({ amount, currency }) => <Money value={amount} code={currency} />,
  },
]

const path = '/merchant-integrations-server/deposit-cases'

/** Crypto payments that do not match what was asked for. */
export function Deposits(): ReactNode {
  const { known, filters, filter, pageLinks } = usePages<DepositCases>(
    'deposits',
    path,
    ['state'],
    ({ cases }) => cases.length === 0,
    { state: 'open' },
  )
  const state = filters.get('state') === 'resolved' ? 'resolved' : 'open'
  return (
    <Screen heading={money.deposits.heading} lead={money.deposits.lead}>
      <Segmented
        label={money.deposits.states}
        value={state}
        options={[
          ['open', money.deposits.open],
          ['resolved', money.deposits.resolved],
        ]}
        onChoose={(chosen) => filter({ state: chosen === 'open' ? '' : chosen })}
      />
      <Loaded known={known} placeholder={<SkeletonRows count={5} />}>
        {({ cases }) =>
          cases.length > 0 ? (
            <Table caption={money.deposits.caption} columns={columns} rows={cases} keyOf={({ id }) => id} />
          ) : (
            <Empty
              heading={state === 'open' ? money.deposits.none : money.deposits.noneResolved}
              lead={money.deposits.noneLead}
            />
          )
        }
      </Loaded>
      {pageLinks}
    </Screen>
  )
}
