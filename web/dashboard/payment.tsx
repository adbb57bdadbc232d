import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { isZero } from '../ui/decimal.ts'
import { Facts } from '../ui/facts.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Journal, OnePayment } from './answers.ts'
import { useKnown } from './ask-dashboard.ts'
import { Screen } from './frame.tsx'
import { Link } from './place.ts'
import './payment.css'
import { Timeline } from './payment-timeline.tsx'
import { MailReceipt, Slip, soldOf } from './receipt.tsx'
import { RefundDialog } from './refund.tsx'
import { Figures, Loaded, Money, useShop, When } from './shop.tsx'
import { Status } from './status.tsx'
import { type Column, Table } from './table.tsx'
import { nameOf, words } from './words.ts'

export function OnePaymentScreen({ reference }: { readonly reference: string }) {
  const known = useKnown<OnePayment>(`/merchant/payments/${encodeURIComponent(reference)}`)
  const type = known.data?.payment.type
  return (
    <Screen heading={type === undefined ? words.payment.heading : nameOf(words.types, type)} back="/payments">
      <Loaded known={known}>{(one) => <Payment one={one} />}</Loaded>
    </Screen>
  )
}

function Payment({ one }: { readonly one: OnePayment }) {
  const { payment, voucher, refundOf, price } = one
  const { merchant } = useShop()
  const [isRefunding, setIsRefunding] = useState(false)
  const [refunded, setRefunded] = useState('')
  const { reference, amount, currency, status, direction, metadata, person } = payment
  const mayRefund = payment.refundable !== '' && merchant.role !== 'developer'
  const mayMail = payment.canMailReceipt && merchant.role !== 'developer'
  const isVoucherShown = voucher?.isOwn === true && merchant.role !== 'developer'
  const rows: (readonly [string, ReactNode])[] = [[words.payments.when, <When key="when" at={payment.createdAt} />]]
  rows.push([words.payments.by, payment.by === '' ? words.payments.api : payment.by])
  if (person !== '') rows.push([words.payment.customer, person])
  if (voucher !== null)
    rows.push([
      words.payment.voucher,
      isVoucherShown ? (
        <Link key="voucher" to={`/vouchers/${voucher.id}`}>
          ··{voucher.codeTail}
        </Link>
      ) : (
        `··${voucher.codeTail}`
      ),
    ])
  if (price !== null && price.receivedCurrency !== currency)
    rows.push([words.payment.received, <Figures key="received" value={price.received} code={price.receivedCurrency} />])
  if (!isZero(payment.refunded))
    rows.push([words.payment.refundedSoFar, <Figures key="refunded" value={payment.refunded} code={currency} />])
  if (refundOf !== null)
    rows.push([
      words.payment.refundOf,
      <Link key="of" to={`/payments/${encodeURIComponent(refundOf.reference)}`}>
        <Figures value={refundOf.amount} code={currency} />
      </Link>,
    ])
  rows.push(...notesOf(metadata))
  rows.push([words.payments.reference, <code key="reference">{reference}</code>])
  return (
    <>
      <div className="payment-head">
        <div className="payment-amount">
          <Money
            value={amount}
            code={currency}
            size="large"
            sign={direction === 'out' ? '−' : ''}
            tone={direction === 'in' && status === 'COMPLETED' ? 'in' : 'plain'}
          />
        </div>
        <Status of={status} />
      </div>
      <div role="status">{refunded !== '' && <Notice>{words.payment.refundDone(refunded)}</Notice>}</div>
      <div className="payment-columns">
        <div className="payment-column">
          <Facts rows={rows} />
          <div className="acts">
            {mayRefund && <Button onClick={() => setIsRefunding(true)}>{words.payment.refund}</Button>}
            {payment.canMailReceipt && <Button onClick={() => print()}>{words.print}</Button>}
          </div>
          {mayMail && <MailReceipt reference={reference} />}
        </div>
        <Timeline one={one} />
      </div>
      <Journals journals={one.journals} />
      <div className="print-only">
        <Slip sold={soldOf(payment)} />
      </div>
      {isRefunding && (
        <RefundDialog
          payment={payment}
          onClose={() => setIsRefunding(false)}
          onDone={(money) => {
            setIsRefunding(false)
            setRefunded(money)
          }}
        />
      )}
    </>
  )
}

/** What was noted with it: plain words, or names and words as software writes them. */
function notesOf(metadata: string): (readonly [string, string])[] {
  if (metadata.trim() === '') return []
  try {
    const notes: unknown = JSON.parse(metadata)
    if (typeof notes === 'object' && notes !== null)
      return Object.entries(notes).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ])
  } catch {
    // Plain words.
  }
  return [[words.payment.message, metadata]]
}

type Transfer = Journal['transfers'][number] & { readonly key: string; readonly at: string }

const columns: readonly Column<Transfer>[] = [
  { name: words.payment.from, kind: 'head', cell: ({ from }) => from },
  { name: words.payment.to, cell: ({ to }) => to },
  { name: words.payments.when, cell: ({ at }) => <When at={at} /> },
  {
    name: words.amount,
    kind: 'sum',
    cell: ({ amount, currency }) => <Figures value={amount} code={currency} />,
  },
]

function Journals({ journals }: { readonly journals: readonly Journal[] }) {
  if (journals.length === 0) return null
  const rows = journals.flatMap(({ id, postedAt, transfers }) =>
    transfers.map((transfer, place) => ({ ...transfer, key: `${id} ${place}`, at: postedAt })),
  )
  return (
    <section className="section">
      <h2>{words.payment.journal}</h2>
      <Table caption={words.payment.journalCaption} columns={columns} rows={rows} keyOf={({ key }) => key} />
    </section>
  )
}
