import type { ReactNode } from 'react'
import { isZero } from '../../ui/decimal.ts'
import { Empty } from '../../ui/empty.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { SaveButton } from '../parts/save-file.tsx'
import type { FeeReport } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Loaded, Money } from '../shell/shop.tsx'
import { reporting } from '../words/reporting.ts'
import { words } from '../words/words.ts'
import { type Period, toQuery } from './period.tsx'

/** The fees of a period. */
export function Fees({ period }: { readonly period: Period }): ReactNode {
  const known = useKnown<FeeReport>(`/merchant/reports/fees?${toQuery(period)}`)
  return (
    <Loaded known={known} placeholder={<SkeletonRows count={4} />}>
      {({ fees }) =>
        fees.length === 0 ? (
          <Empty heading={reporting.fees.none} lead={reporting.fees.noneLead} />
        ) : (
          <>
            <div className="reports-acts">
              <SaveButton
                path={`/merchant/reports/fees.csv?${toQuery(period)}`}
                fileName={reporting.fees.file(period.from, period.until)}
                label={reporting.csv}
              />
            </div>
            <Table
              caption={reporting.fees.caption}
              columns={columns}
              rows={fees}
              keyOf={({ currency, kind, bearer }) => `${currency} ${kind} ${bearer}`}
            />
          </>
        )
      }
    </Loaded>
  )
}

type Fee = FeeReport['fees'][number]

const columns: readonly Column<Fee>[] = [
  { name: reporting.fees.type, kind: 'head', cell: ({ kind }) => reporting.fees.kinds[kind] },
  { name: words.currency, cell: ({ currency }) => currency },
  { name: reporting.fees.bearer, cell: ({ bearer }) => reporting.fees.bearers[bearer] },
  {
    name: reporting.fees.returned,
    kind: 'amount',
    cell: ({ returned, currency }) => (isZero(returned) ? '' : <Money value={returned} code={currency} />),
  },
  { name: reporting.fees.paid, kind: 'sum', cell: ({ amount, currency }) => <Money value={amount} code={currency} /> },
]
