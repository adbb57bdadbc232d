import { ScanQrCode } from 'lucide-react'
import type { ReactNode } from 'react'
import { Empty } from '../../ui/empty.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import type { Payments as PaymentsPage } from '../shell/responses.ts'
import { Filters } from '../parts/payment-filters.tsx'
import { Screen } from '../shell/frame.tsx'
import { SearchedBack, usePages } from '../parts/pages.tsx'
import { PaymentsTable } from '../parts/payments-table.tsx'
import { Link } from '../shell/place.ts'
import { SaveButton } from '../parts/save-file.tsx'
import { Loaded, screensFor, useShop } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

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
      <Loaded known={known} placeholder={<SkeletonRows count={10} />}>
        {({ payments, nextCursor }) =>
          payments.length > 0 ? (
            <PaymentsTable payments={payments} isGrouped />
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
          <ScanQrCode aria-hidden="true" />
          {words.payments.toTill}
        </Link>
      )}
    </Empty>
  )
}
