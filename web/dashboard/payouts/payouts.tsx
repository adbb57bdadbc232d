import { BanknoteArrowUp, FileSpreadsheet } from 'lucide-react'
import type { ReactNode } from 'react'
import { Empty } from '../../ui/empty.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import type { Payments as PaymentsPage } from '../shell/responses.ts'
import { Screen } from '../shell/frame.tsx'
import { SearchedBack, usePages } from '../parts/pages.tsx'
import { Filters } from '../parts/payment-filters.tsx'
import { PaymentsTable } from '../parts/payments-table.tsx'
import { Link } from '../shell/place.ts'
import { Loaded } from '../shell/shop.tsx'
import { money } from '../words/money.ts'
import { words } from '../words/words.ts'

const filterNames = ['search', 'status', 'currency', 'cashier', 'from', 'until']

/** Payouts to users, also those that wait. */
export function Payouts(): ReactNode {
  const pages = usePages<PaymentsPage>(
    'payouts',
    '/merchant/payouts',
    filterNames,
    ({ payments }) => payments.length === 0,
  )
  const { known, filters, isFiltered, cursor } = pages
  return (
    <Screen heading={money.payouts.heading} acts={<PayoutActs />}>
      <Filters filters={filters} onFilter={pages.filter} hasTypes={false} />
      <Loaded known={known} placeholder={<SkeletonRows count={10} />}>
        {({ payments, nextCursor }) =>
          payments.length > 0 ? (
            <PaymentsTable payments={payments} isGrouped />
          ) : nextCursor !== '' ? (
            <SearchedBack cursor={nextCursor} isGoingOn={pages.isGoingOn} further={pages.further} />
          ) : isFiltered || cursor !== '' ? (
            <Empty heading={money.payouts.noneFound} lead={words.payments.noneFoundLead} />
          ) : (
            <Empty heading={money.payouts.none} lead={money.payouts.noneLead} />
          )
        }
      </Loaded>
      {pages.pageLinks}
    </Screen>
  )
}

function PayoutActs() {
  return (
    <>
      <Link className="button" data-kind="quiet" to="/payouts/files">
        {money.payouts.files}
      </Link>
      <Link className="button" data-kind="quiet" to="/payouts/pay-file">
        <FileSpreadsheet aria-hidden="true" />
        {money.payouts.sendFile}
      </Link>
      <Link className="button" data-kind="main" to="/payouts/new">
        <BanknoteArrowUp aria-hidden="true" />
        {money.payouts.send}
      </Link>
    </>
  )
}
