import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { isZero } from '../../ui/decimal.ts'
import { ExplorerLink } from '../../ui/explorer-link.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Journal, OnePayment, Party, Payout } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { Link } from '../shell/place.ts'
import './payment.css'
import { Timeline } from './payment-timeline.tsx'
import { EmailReceipt, Slip, soldOf } from './receipt.tsx'
import { RefundDialog } from './refund.tsx'
import { Loaded, Money, useShop, When } from '../shell/shop.tsx'
import { PaymentStatus } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { nameOf, words } from '../words/words.ts'

export function OnePaymentScreen({ reference }: { readonly reference: string }): ReactNode {
  const known = useKnown<OnePayment>(`/merchant/payments/${encodeURIComponent(reference)}`)
  const type = known.data?.payment.type
  return (
    <Screen heading={type === undefined ? words.payment.heading : nameOf(words.types, type)} back="/payments">
      <Loaded known={known}>{(one) => <Payment one={one} />}</Loaded>
    </Screen>
  )
}

function Payment({ one }: { readonly one: OnePayment }) {
  const { payment } = one
  const { merchant } = useShop()
  const [isRefunding, setIsRefunding] = useState(false)
  const [refunded, setRefunded] = useState('')
  const isDeveloper = merchant.role === 'developer'
  const canRefund = payment.refundable !== '' && !isDeveloper
  return (
    <>
      <PaymentHead payment={payment} />
      <PayoutNotice status={payment.status} payout={one.payout} />
      <div role="status">{refunded !== '' && <Notice>{words.payment.refundDone(refunded)}</Notice>}</div>
      <div className="payment-columns">
        <div className="payment-column">
          <Facts rows={factsOf(one, !isDeveloper)} />
          <div className="acts">
            {canRefund && <Button onClick={() => setIsRefunding(true)}>{words.payment.refund}</Button>}
            {payment.canMailReceipt && <Button onClick={() => print()}>{words.print}</Button>}
          </div>
          {payment.canMailReceipt && !isDeveloper && <EmailReceipt reference={payment.reference} />}
        </div>
        <Timeline one={one} />
      </div>
      <Journals journals={one.journals} payment={payment} />
      <div className="print-only">
        <Slip sold={soldOf(payment, one.journals)} />
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

function PaymentHead({ payment }: Pick<OnePayment, 'payment'>) {
  const { amount, currency, settledAt, direction } = payment
  return (
    <div className="payment-head">
      <div className="payment-amount">
        <Money
          value={amount}
          code={currency}
          size="large"
          sign={direction === 'out' ? '−' : ''}
          tone={settledAt === '' ? 'soft' : direction === 'in' ? 'in' : 'plain'}
        />
      </div>
      <PaymentStatus payment={payment} />
    </div>
  )
}

/** What to do about a payment that its network has not confirmed, or refused. */
function PayoutNotice({ status, payout }: { readonly status: string; readonly payout: Payout | null }) {
  if (payout === null) return null
  if (status === 'PROCESSING') return <Notice>{words.onchain.processingLead(payout.network)}</Notice>
  return status === 'FAILED' ? <Notice kind="error">{words.onchain.failedLead}</Notice> : null
}

type Row = readonly [string, ReactNode]

/** The facts of a payment. Developers have no voucher screens, so their voucher is no link. */
function factsOf({ payment, voucher, refundOf, price, payout }: OnePayment, canOpenVoucher: boolean): Row[] {
  const { reference, currency, person } = payment
  const rows: Row[] = [
    [words.payments.when, <When key="when" at={payment.createdAt} />],
    [words.payments.by, payment.by === '' ? words.payments.api : payment.by],
  ]
  if (person !== '') rows.push([words.payment.customer, person])
  if (voucher !== null) rows.push([words.payment.voucher, voucherFact(voucher, canOpenVoucher)])
  if (payout !== null) rows.push(...payoutFacts(payout))
  if (price !== null && price.receivedCurrency !== currency)
    rows.push([words.payment.received, <Money key="received" value={price.received} code={price.receivedCurrency} />])
  if (!isZero(payment.refunded))
    rows.push([words.payment.refundedSoFar, <Money key="refunded" value={payment.refunded} code={currency} />])
  if (refundOf !== null)
    rows.push([
      words.payment.refundOf,
      <Link key="of" to={`/payments/${encodeURIComponent(refundOf.reference)}`}>
        <Money value={refundOf.amount} code={currency} />
      </Link>,
    ])
  rows.push(...notesOf(payment.metadata))
  rows.push([words.payments.reference, <code key="reference">{reference}</code>])
  return rows
}

/** The address that was paid, and the transaction on its network. */
function payoutFacts({ recipient, recipientUrl, network, transactionHash, transactionUrl }: Payout): Row[] {
  const rows: Row[] = [[words.onchain.network, network]]
  if (recipient !== '')
    rows.push([words.onchain.paidTo, <ExplorerLink key="recipient" url={recipientUrl} name={recipient} />])
  if (transactionHash !== '')
    rows.push([
      words.onchain.transaction,
      <ExplorerLink key="transaction" url={transactionUrl} name={transactionHash} />,
    ])
  return rows
}

function voucherFact({ id, codeTail, isOwn }: NonNullable<OnePayment['voucher']>, canOpen: boolean): ReactNode {
  const tail = `··${codeTail}`
  if (!isOwn || !canOpen) return tail
  return (
    <Link key="voucher" to={`/vouchers/${id}`}>
      {tail}
    </Link>
  )
}

/** The metadata of a payment: the entries of a JSON object, or a text. */
function notesOf(metadata: string): Row[] {
  if (metadata.trim() === '') return []
  try {
    const notes: unknown = JSON.parse(metadata)
    if (typeof notes === 'object' && notes !== null)
      return Object.entries(notes).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ])
  } catch {
    // Not JSON: a text.
  }
  return [[words.payment.message, metadata]]
}

type Transfer = Journal['transfers'][number] & { readonly key: string; readonly at: string; readonly what: ReactNode }

const columns: readonly Column<Transfer>[] = [
  { name: words.payment.from, kind: 'head', cell: ({ from }) => nameAccount(from) },
  { name: words.payment.to, cell: ({ to }) => nameAccount(to) },
  { name: words.payments.what, cell: ({ what }) => what },
  { name: words.payments.when, cell: ({ at }) => <When at={at} /> },
  {
    name: words.amount,
    kind: 'sum',
    cell: ({ amount, currency }) => <Money value={amount} code={currency} />,
  },
]

function nameAccount({ kind, name }: Party): string {
  if (kind === 'voucher' && name !== '') return words.payments.voucherTail(name)
  if (kind === 'wallet' && name !== '') return words.accounts.walletNamed(name)
  return nameOf(words.accounts.names, kind)
}

/** The ledger entries of the payment and of its refunds. */
function Journals({ journals, payment }: Pick<OnePayment, 'journals' | 'payment'>) {
  if (journals.length === 0) return null
  const nameEntry = (reference: string): ReactNode =>
    reference === payment.reference ? (
      nameOf(words.types, payment.type)
    ) : (
      <Link to={`/payments/${encodeURIComponent(reference)}`}>{words.types.REFUND}</Link>
    )
  const rows = journals.flatMap(({ id, reference, postedAt, transfers }) => {
    const what = nameEntry(reference)
    return transfers.map((transfer, place) => ({ ...transfer, key: `${id} ${place}`, at: postedAt, what }))
  })
  return (
    <section className="section">
      <h2>{words.payment.journal}</h2>
      <Table caption={words.payment.journalCaption} columns={columns} rows={rows} keyOf={({ key }) => key} />
    </section>
  )
}
