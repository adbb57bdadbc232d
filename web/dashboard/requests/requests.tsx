import { HandCoins } from 'lucide-react'
import type { ReactNode } from 'react'
import { FilterChip } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import type { AskedPayment, AskedPayments } from '../shell/responses.ts'
import { Screen } from '../shell/frame.tsx'
import { SearchedBack, usePages } from '../parts/pages.tsx'
import { PaymentStatus } from '../parts/status.tsx'
import { Link } from '../shell/place.ts'
import { Loaded, Money, useShop, When } from '../shell/shop.tsx'
import { money } from '../words/money.ts'
import { words } from '../words/words.ts'

const columns: readonly Column<AskedPayment>[] = [
  {
    name: money.requests.payer,
    kind: 'head',
    cell: ({ reference, person, note }) => (
      <>
        <Link className="cover-link" to={`/requests/${encodeURIComponent(reference)}`}>
          {person === '' ? money.requests.anyone : person}
        </Link>
        {note !== '' && <span className="table-second">{note}</span>}
      </>
    ),
  },
  { name: money.requests.by, kind: 'extra', cell: ({ by }) => (by === '' ? money.requests.api : by) },
  { name: money.requests.status, kind: 'status', cell: (request) => <PaymentStatus payment={request} /> },
  { name: money.requests.created, kind: 'second', cell: ({ createdAt }) => <When at={createdAt} /> },
  {
    name: words.amount,
    kind: 'sum',
    cell: ({ amount, currency }) => <Money value={amount} code={currency} />,
  },
]

const statuses = ['PENDING', 'COMPLETED', 'FAILED', 'CANCELED'] as const

/** Payments that customers were asked for. Cashiers see their own. */
export function Requests(): ReactNode {
  const mayAsk = useShop().merchant.role !== 'accountant'
  const pages = usePages<AskedPayments>(
    'requests',
    '/merchant/payment-requests',
    ['status'],
    ({ requests }) => requests.length === 0,
  )
  const { known, filters, filter, isFiltered } = pages
  const ask = (
    <Link className="button" data-kind="main" to="/requests/new">
      <HandCoins aria-hidden="true" />
      {money.requests.newAct}
    </Link>
  )
  return (
    <Screen heading={money.requests.heading} {...(mayAsk && { acts: ask })}>
      <div className="chips">
        <FilterChip
          label={money.requests.status}
          value={filters.get('status') ?? ''}
          options={statuses.map((status) => [status, words.statuses[status]])}
          any={words.any}
          clearLabel={words.payments.removeFilter(money.requests.status)}
          onChoose={(status) => filter({ status })}
        />
      </div>
      <Loaded known={known} placeholder={<SkeletonRows count={8} />}>
        {({ requests, nextCursor }) =>
          requests.length > 0 ? (
            <Table
              caption={money.requests.caption}
              columns={columns}
              rows={requests}
              keyOf={({ reference }) => reference}
            />
          ) : nextCursor !== '' ? (
            <SearchedBack cursor={nextCursor} isGoingOn={pages.isGoingOn} further={pages.further} />
          ) : isFiltered ? (
            <Empty heading={money.requests.noneFound} lead={words.payments.noneFoundLead} />
          ) : (
            <Empty heading={money.requests.none} lead={money.requests.noneLead}>
              {mayAsk && ask}
            </Empty>
          )
        }
      </Loaded>
      {pages.pageLinks}
    </Screen>
  )
}
