import type { ReactNode } from 'react'
import type { Payment, Payments as PaymentsPage } from '../shell/responses.ts'
import { Filters } from '../parts/payment-filters.tsx'
import { Screen } from '../shell/frame.tsx'
import { SearchedBack, usePages } from '../parts/pages.tsx'
import { Link } from '../shell/place.ts'
import { SaveButton } from '../parts/save-file.tsx'
import { Empty, Money, Loaded, screensFor, useShop, When } from '../shell/shop.tsx'
import { PaymentStatus } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { nameOf, words } from '../words/words.ts'

const filterNames = ['search', 'type', 'status', 'currency', 'cashier', 'from', 'until']

export function Payments(): ReactNode {
  const pages = usePages<PaymentsPage>(
    'payments',
    '/merchant/payments',
    filterNames,
    ({ payments }) => payments.length === 0,
  )
  const { known, filters, isFiltered, cursor } = pages
  const query = filters.size === 0 ? '' : `?${filters.toString()}`
  const save = (
    <SaveButton path={`/merchant/payments.csv${query}`} fileName={words.files.payments} label={words.exportCsv} />
  )
  return (
    <Screen heading={words.payments.heading} acts={save}>
      <Filters filters={filters} onFilter={pages.filter} />
      <Loaded known={known}>
        {({ payments, nextCursor }) =>
          payments.length > 0 ? (
            <Table caption={words.payments.caption} columns={columns} rows={payments} keyOf={({ id }) => id} />
          ) : nextCursor !== '' ? (
            <SearchedBack cursor={nextCursor} isGoingOn={pages.isGoingOn} further={pages.further} />
          ) : isFiltered || cursor !== '' ? (
            <Empty heading={words.payments.noneFound} lead={words.payments.noneFoundLead} />
          ) : (
            <NoneYet />
          )
        }
      </Loaded>
      {pages.pageLinks}
    </Screen>
  )
}

function NoneYet() {
  const { merchant } = useShop()
  const hasTill = screensFor(merchant.role).includes('till')
  return (
    <Empty heading={words.payments.none} lead={words.payments.noneLead}>
      {hasTill && (
        <Link className="button" data-kind="main" to="/till">
          {words.payments.toTill}
        </Link>
      )}
    </Empty>
  )
}

const columns: readonly Column<Payment>[] = [
  {
    name: words.payments.what,
    kind: 'head',
    cell: ({ type, reference }) => (
      <Link className="table-link" to={`/payments/${encodeURIComponent(reference)}`}>
        {nameOf(words.types, type)}
      </Link>
    ),
  },
  { name: words.payments.when, cell: ({ createdAt }) => <When at={createdAt} /> },
  { name: words.payments.status, cell: (payment) => <PaymentStatus payment={payment} /> },
  {
    name: words.payments.who,
    cell: ({ person, codeTail }) =>
      person !== '' ? person : codeTail === '' ? '' : words.payments.voucherTail(codeTail),
  },
  { name: words.payments.by, cell: ({ by }) => (by === '' ? words.payments.api : by) },
  {
    name: words.payments.reference,
    kind: 'extra',
    cell: ({ reference }) => (
      <code className="payments-reference" title={reference}>
        {reference}
      </code>
    ),
  },
  {
    name: words.amount,
    kind: 'sum',
    cell: ({ amount, currency, direction, settledAt }) => (
      <Money
        value={amount}
        code={currency}
        sign={settledAt === '' || direction === 'none' ? '' : direction === 'out' ? '−' : '+'}
        // A pending or failed payment is not money in.
        tone={settledAt === '' ? 'soft' : direction === 'in' ? 'in' : 'plain'}
      />
    ),
  },
]
