import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { tellNext, useOutcome } from '../../ui/use-outcome.tsx'
import { PaymentsTable } from '../parts/payments-table.tsx'
import { Status } from '../parts/status.tsx'
import { TaskDialog } from '../parts/task-dialog.tsx'
import { Screen } from '../shell/frame.tsx'
import { go, Link } from '../shell/place.ts'
import { refresh, remove, useKnown } from '../shell/request-dashboard.ts'
import type { Customer, IssuedVoucher, IssuedVouchers, Payments } from '../shell/responses.ts'
import { Loaded, Money, When } from '../shell/shop.tsx'
import { customerWords } from '../words/customer-words.ts'
import { describeError, words } from '../words/words.ts'
import { EditCustomer } from './edit-customer.tsx'

export function OneCustomer({ id }: { readonly id: string }): ReactNode {
  const path = `/merchant/customers/${encodeURIComponent(id)}`
  const known = useKnown<Customer>(path)
  return (
    <Screen heading={known.data?.name ?? customerWords.heading} back="/customers">
      <Loaded known={known}>{(customer) => <OneOf customer={customer} onChange={() => void refresh(path)} />}</Loaded>
    </Screen>
  )
}

type OneOfProps = { readonly customer: Customer; readonly onChange: () => void }

function OneOf({ customer, onChange }: OneOfProps) {
  const [task, setTask] = useState<'edit' | 'remove' | null>(null)
  const { tell, shown } = useOutcome(describeError)
  const close = () => setTask(null)
  const finish = () => {
    close()
    tell({ data: null }, customerWords.saved)
    onChange()
  }
  return (
    <>
      {shown}
      <Facts
        rows={[
          [customerWords.email, customer.email],
          [customerWords.added, <When key="added" at={customer.createdAt} form="day" />],
        ]}
      />
      <div className="acts">
        <Button onClick={() => setTask('edit')}>{customerWords.edit}</Button>
        <Button kind="danger-quiet" onClick={() => setTask('remove')}>
          {customerWords.remove}
        </Button>
      </div>
      <PaymentsOf email={customer.email} />
      <VouchersOf email={customer.email} />
      {task === 'edit' && <EditCustomer customer={customer} onDone={finish} onClose={close} />}
      {task === 'remove' && (
        <TaskDialog
          heading={customerWords.remove}
          label={customerWords.remove}
          isDanger
          perform={() => remove(`/merchant-integrations/delete-customer/${customer.id}`)}
          onDone={() => {
            tellNext(customerWords.removed(customer.name))
            go('/customers', 'replace')
          }}
          onClose={close}
        >
          <p>{customerWords.removeLead}</p>
        </TaskDialog>
      )}
    </>
  )
}

const shownMax = 10

/** The newest payments by the wallet with this address. */
function PaymentsOf({ email }: { readonly email: string }) {
  const query = new URLSearchParams({ search: email }).toString()
  const known = useKnown<Payments>(`/merchant/payments?limit=${shownMax}&${query}`)
  return (
    <section className="section">
      <h2>{customerWords.payments}</h2>
      <Loaded known={known} placeholder={<SkeletonRows count={3} />}>
        {({ payments, nextCursor }) =>
          payments.length === 0 ? (
            <p className="soft">{customerWords.noPayments}</p>
          ) : (
            <>
              <PaymentsTable payments={payments} />
              {nextCursor !== '' && (
                <p>
                  <Link className="link" to={`/payments?${query}`}>
                    {customerWords.allPayments}
                  </Link>
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  )
}

function VouchersOf({ email }: { readonly email: string }) {
  const query = new URLSearchParams({ search: email }).toString()
  const known = useKnown<IssuedVouchers>(`/merchant/issued?limit=${shownMax}&${query}`)
  return (
    <section className="section">
      <h2>{customerWords.vouchers}</h2>
      <Loaded known={known} placeholder={<SkeletonRows count={3} />}>
        {({ vouchers, nextCursor }) =>
          vouchers.length === 0 ? (
            <p className="soft">{customerWords.noVouchers}</p>
          ) : (
            <>
              <Table
                caption={customerWords.vouchersCaption}
                columns={voucherColumns}
                rows={vouchers}
                keyOf={({ id }) => id}
              />
              {nextCursor !== '' && (
                <p>
                  <Link className="link" to={`/vouchers?${query}`}>
                    {customerWords.allVouchers}
                  </Link>
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  )
}

const voucherColumns: readonly Column<IssuedVoucher>[] = [
  {
    name: words.vouchers.code,
    kind: 'head',
    cell: ({ id, codeTail }) => (
      <Link className="cover-link" to={`/vouchers/${id}`}>
        <code>··{codeTail}</code>
      </Link>
    ),
  },
  {
    name: words.vouchers.state,
    kind: 'status',
    cell: ({ state }) => <Status of={state} names={words.vouchers.states} />,
  },
  { name: words.vouchers.created, kind: 'extra', cell: ({ createdAt }) => <When at={createdAt} form="day" /> },
  {
    name: words.vouchers.left,
    kind: 'sum',
    cell: ({ balance, currency }) => <Money value={balance} code={currency} />,
  },
]
