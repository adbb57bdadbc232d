import { ReceiptText } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Empty } from '../../ui/empty.tsx'
import { Button } from '../../ui/button.tsx'
import { isZero } from '../../ui/decimal.ts'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Refusal } from '../../ui/send-request.ts'
import type { Read } from '../../../server/src/http/schema.ts'
import type { WireTillSales } from '../../../server/src/reporting/wire.ts'
import type { Payment } from '../shell/responses.ts'
import { read, useKnown } from '../shell/request-dashboard.ts'
import { soldOf, type Sold } from '../payments/receipt.tsx'
import { formatMoney, Loaded, Money, useOrder, When } from '../shell/shop.tsx'
import { statusColumn } from '../parts/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { describeError, nameOf, words } from '../words/words.ts'

type Sales = Read<WireTillSales>
type OnReceipt = (sold: Sold) => void

/** The cashier's sales of today with their receipts and their total. */
export function TillSales({ onReceipt }: { readonly onReceipt: OnReceipt }): ReactNode {
  const newest = useKnown<Sales>('/merchant/till/sales?limit=20')
  const { older, cursor, refusal, more } = useOlder(newest.data)
  return (
    <section className="section">
      <h2>{words.till.sales}</h2>
      <Loaded known={newest}>
        {({ payments, totals }) =>
          payments.length === 0 ? (
            <Empty heading={words.till.noSales} lead={words.till.noSalesLead} />
          ) : (
            <>
              <Totals totals={totals} />
              <Table
                caption={words.till.salesCaption}
                columns={columnsFor(onReceipt)}
                rows={[...payments, ...older]}
                keyOf={({ id }) => id}
              />
            </>
          )
        }
      </Loaded>
      <div role="status">{refusal !== null && <Notice kind="error">{describeError(refusal)}</Notice>}</div>
      {cursor !== '' && (
        <div className="acts">
          <Button onClick={more}>{words.till.more}</Button>
        </div>
      )}
    </section>
  )
}

type Older = {
  readonly older: readonly Payment[]
  readonly cursor: string
  readonly refusal: Refusal | null
  readonly more: () => void
}

/** The pages that the cashier added below the newest one. */
function useOlder(newest: Sales | null): Older {
  const [shown, setShown] = useState<(Sales & { readonly behind: string }) | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const behind = newest?.nextCursor ?? ''
  // Older pages belong to the newest page that they were loaded after.
  const last = shown?.behind === behind ? shown : null
  const older = last?.payments ?? []
  const cursor = (last ?? newest)?.nextCursor ?? ''
  const more = () =>
    void read<Sales>(`/merchant/till/sales?limit=50&cursor=${cursor}`).then((response) => {
      setRefusal('refusal' in response ? response.refusal : null)
      if ('data' in response) setShown({ ...response.data, behind, payments: [...older, ...response.data.payments] })
    })
  return { older, cursor, refusal, more }
}

/** What the sales come to in each currency. A refund is deducted once, from its sale. */
function Totals({ totals }: Pick<Sales, 'totals'>) {
  const order = useOrder()
  if (totals.length === 0) return null
  const rows = order(totals.map(({ currency }) => currency)).flatMap((code) =>
    totals
      .filter(({ currency }) => currency === code)
      .map(({ count, amount, refunded }) => {
        const after = isZero(refunded) ? '' : `, ${words.till.afterRefunds(formatMoney(refunded, code))}`
        const value = (
          <span key={code} className="till-charges">
            <Money value={amount} code={code} />
            <span className="soft">
              {words.day.sales(count)}
              {after}
            </span>
          </span>
        )
        return [words.till.totalIn(code), value] as const
      }),
  )
  return <Facts rows={rows} />
}

function columnsFor(onReceipt: OnReceipt): readonly Column<Payment>[] {
  return [
    { name: words.payments.what, kind: 'head', cell: ({ type }) => nameOf(words.types, type) },
    {
      name: words.receipt.voucher,
      kind: 'extra',
      cell: ({ codeTail }) => (codeTail === '' ? '' : <code>··{codeTail}</code>),
    },
    statusColumn,
    { name: words.day.refunded, kind: 'amount', cell: refundedCell },
    {
      name: words.amount,
      kind: 'sum',
      cell: ({ amount, currency, settledAt }) => (
        <Money value={amount} code={currency} tone={settledAt === '' ? 'soft' : 'plain'} />
      ),
    },
    { name: words.receipt.time, kind: 'second', cell: ({ createdAt }) => <When at={createdAt} form="time" /> },
    {
      name: words.receipt.heading,
      kind: 'act',
      cell: (payment) =>
        payment.type === 'VOUCHER_REDEMPTION' && (
          <Button
            kind="bare"
            size="s"
            aria-label={words.receipt.showOf(formatMoney(payment.amount, payment.currency))}
            onClick={() => onReceipt(soldOf(payment))}
          >
            <ReceiptText aria-hidden="true" />
            {words.receipt.show}
          </Button>
        ),
    },
  ]
}

function refundedCell({ refunded, currency }: Payment): ReactNode {
  return isZero(refunded) ? '' : <Money value={refunded} code={currency} sign="−" />
}
