import { Link2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Empty } from '../../ui/empty.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table, TableWhat } from '../../ui/table.tsx'
import '../../ui/tabs.css'
import type { ListedInvoice, ListedInvoices } from '../shell/responses.ts'
import '../parts/filters.css'
import { dayIn } from '../parts/days.ts'
import { usePages } from '../parts/pages.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Screen } from '../shell/frame.tsx'
import { Link } from '../shell/place.ts'
import { Loaded, Money, useShop, When } from '../shell/shop.tsx'
import { Status } from '../parts/status.tsx'
import { invoicing } from '../words/invoicing.ts'
import { words } from '../words/words.ts'

/** The invoices that others sent to this shop. */
export function Invoices(): ReactNode {
  const pages = usePages<ListedInvoices>(
    'invoices',
    '/merchant/invoices',
    ['search', 'state'],
    ({ invoices }) => invoices.length === 0,
  )
  const { known, filters, isFiltered, cursor } = pages
  const receive = (
    <Link className="button" data-kind="quiet" to="/invoices/receive">
      <Link2 aria-hidden="true" />
      {invoicing.receive}
    </Link>
  )
  return (
    <Screen heading={invoicing.heading} lead={invoicing.lead} acts={receive}>
      <section className="filters" aria-label={words.payments.filters}>
        <States search={filters.get('search') ?? ''} shown={filters.get('state') ?? ''} />
        <SearchField
          label={invoicing.search}
          hint={invoicing.searchHint}
          searched={filters.get('search') ?? ''}
          onSearch={(search, how) => pages.filter({ search }, how)}
        />
      </section>
      <Loaded known={known} placeholder={<SkeletonRows count={10} />}>
        {({ invoices }) =>
          invoices.length > 0 ? (
            <Table caption={invoicing.caption} columns={columns} rows={invoices} keyOf={({ id }) => id} />
          ) : isFiltered || cursor !== '' ? (
            <Empty heading={invoicing.noneFound} lead={invoicing.noneFoundLead} />
          ) : (
            <Empty heading={invoicing.none} lead={invoicing.noneLead}>
              {receive}
            </Empty>
          )
        }
      </Loaded>
      {pages.pageLinks}
    </Screen>
  )
}

function States({ search, shown }: { readonly search: string; readonly shown: string }) {
  return (
    <nav className="tabs" aria-label={invoicing.state}>
      {[['', words.any] as const, ...Object.entries(invoicing.tabs)].map(([state, name]) => {
        const query = new URLSearchParams({ ...(search !== '' && { search }), ...(state !== '' && { state }) })
        return (
          <Link
            key={state}
            to={`/invoices${query.size === 0 ? '' : (`?${query.toString()}` as const)}`}
            aria-current={shown === state ? 'page' : undefined}
          >
            {name}
          </Link>
        )
      })}
    </nav>
  )
}

const columns: readonly Column<ListedInvoice>[] = [
  {
    name: invoicing.from,
    kind: 'head',
    cell: ({ id, fullName, number, email }) => (
      <TableWhat
        title={
          <Link className="cover-link" to={`/invoices/${id}`}>
            {fullName}
          </Link>
        }
        second={
          <span className="table-second" title={email}>
            <code>{number}</code> · {email}
          </span>
        }
      />
    ),
  },
  { name: invoicing.state, kind: 'status', cell: ({ state }) => <Status of={state} names={invoicing.states} /> },
  { name: invoicing.received, kind: 'extra', cell: ({ createdAt }) => <When at={createdAt} form="day" /> },
  { name: words.amount, kind: 'sum', cell: ({ total, currency }) => <Money value={total} code={currency} /> },
  { name: invoicing.due, kind: 'second', cell: (invoice) => <Due invoice={invoice} /> },
]

type DueProps = { readonly invoice: Pick<ListedInvoice, 'dueDate' | 'state'> }

/** The due date, marked when it has passed and the invoice is not paid. */
export function Due({ invoice: { dueDate, state } }: DueProps): ReactNode {
  const { timeZone } = useShop().merchant
  const isOpen = state !== 'paid' && state !== 'rejected'
  const isOverdue = isOpen && dayIn(timeZone, new Date(dueDate)) < dayIn(timeZone, new Date())
  return (
    <span className="invoice-due" data-over={isOverdue || undefined}>
      <When at={dueDate} form="day" />
      {isOverdue && <span>{invoicing.overdue}</span>}
    </span>
  )
}
