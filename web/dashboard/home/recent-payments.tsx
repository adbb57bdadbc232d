import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import type { Payments } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Link } from '../shell/place.ts'
import { Loaded } from '../shell/shop.tsx'
import { PaymentsTable } from '../parts/payments-table.tsx'
import { words } from '../words/words.ts'

const shown = 6

/** The newest payments, with a link to all. */
export function RecentPayments(): ReactNode {
  const known = useKnown<Payments>(`/merchant/payments?limit=${shown}`)
  const all = (
    <Link className="link" to="/payments">
      {words.home.allPayments} →
    </Link>
  )
  return (
    <Card heading={words.home.recent} act={all} hasPadding={false}>
      <Loaded known={known} placeholder={<SkeletonRows count={shown} />}>
        {({ payments }) =>
          payments.length === 0 ? (
            <p className="card-body soft">{words.payments.noneLead}</p>
          ) : (
            <PaymentsTable payments={payments} />
          )
        }
      </Loaded>
    </Card>
  )
}
