import { useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import type { Payment, Payments } from './responses.ts'
import { read, useKnown } from './request-dashboard.ts'
import { soldOf, type Sold } from './receipt.tsx'
import { Empty, Money, Loaded, When } from './shop.tsx'
import { Status } from './status.tsx'
import { type Column, Table } from './table.tsx'
import { nameOf, words } from './words.ts'

const withReceipt = new Set(['VOUCHER_REDEMPTION', 'REFUND'])

/** The cashier's sales of today, with their receipts. */
export function TillSales({ onReceipt }: { readonly onReceipt: (sold: Sold) => void }): ReactNode {
  const newest = useKnown<Payments>('/merchant/till/sales?limit=20')
  const [shownOlder, setOlder] = useState<(Payments & { readonly behind: string }) | null>(null)
  const behind = newest.data?.nextCursor ?? ''
  // Older pages belong to the newest page that they were loaded after.
  const older = shownOlder?.behind === behind ? shownOlder : null
  const cursor = (older ?? newest.data)?.nextCursor ?? ''
  const more = () =>
    void read<Payments>(`/merchant/till/sales?limit=50&cursor=${cursor}`).then((response) => {
      if ('data' in response)
        setOlder({ ...response.data, behind, payments: [...(older?.payments ?? []), ...response.data.payments] })
    })
  const columns: readonly Column<Payment>[] = [
    { name: words.payments.what, kind: 'head', cell: ({ type }) => nameOf(words.types, type) },
    { name: words.receipt.time, cell: ({ createdAt }) => <When at={createdAt} form="time" /> },
    { name: words.receipt.voucher, cell: ({ codeTail }) => (codeTail === '' ? '' : <code>··{codeTail}</code>) },
    { name: words.payments.status, cell: ({ status }) => <Status of={status} /> },
    {
      name: words.amount,
      kind: 'sum',
      cell: ({ amount, currency, direction }) => (
        <Money value={amount} code={currency} sign={direction === 'out' ? '−' : ''} />
      ),
    },
    {
      name: words.receipt.heading,
      kind: 'act',
      cell: (payment) =>
        withReceipt.has(payment.type) && (
          <Button kind="bare" onClick={() => onReceipt(soldOf(payment))}>
            {words.receipt.show}
          </Button>
        ),
    },
  ]
  return (
    <section className="section">
      <h2>{words.till.sales}</h2>
      <Loaded known={newest}>
        {({ payments }) =>
          payments.length === 0 ? (
            <Empty heading={words.till.noSales} lead={words.till.noSalesLead} />
          ) : (
            <Table
              caption={words.till.sales}
              columns={columns}
              rows={[...payments, ...(older?.payments ?? [])]}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      {cursor !== '' && (
        <div className="acts">
          <Button onClick={more}>{words.till.more}</Button>
        </div>
      )}
    </section>
  )
}
