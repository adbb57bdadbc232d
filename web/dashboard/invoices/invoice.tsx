import { Ban, Check, CircleX, Clock, Inbox, type LucideIcon, ThumbsUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Timeline } from '../../ui/timeline.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import type { ReviewedInvoice } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import '../parts/detail.css'
import { SaveButton } from '../parts/save-file.tsx'
import { Link } from '../shell/place.ts'
import { Loaded, Money, When } from '../shell/shop.tsx'
import { Status } from '../parts/status.tsx'
import { invoicing } from '../words/invoicing.ts'
import { describeError, words } from '../words/words.ts'
import { ApproveInvoice, PayInvoice, RejectInvoice, RevokeLinks } from './decide-invoice.tsx'
import { InvoiceFiles, InvoiceLines } from './invoice-parts.tsx'
import { Due } from './invoices.tsx'

export function OneInvoice({ id }: { readonly id: string }): ReactNode {
  const known = useKnown<ReviewedInvoice>(`/merchant/invoices/${encodeURIComponent(id)}`)
  const number = known.data?.number
  return (
    <Screen heading={number === undefined ? invoicing.heading : invoicing.one(number)} back="/invoices">
      <Loaded known={known}>{(invoice) => <Invoice invoice={invoice} />}</Loaded>
    </Screen>
  )
}

type Task = 'approve' | 'reject' | 'pay' | 'revoke'

function Invoice({ invoice }: { readonly invoice: ReviewedInvoice }) {
  const [task, setTask] = useState<Task | null>(null)
  const { tell, shown } = useOutcome(describeError)
  const dialog = {
    invoice,
    onClose: () => setTask(null),
    onDone: (text: string) => {
      setTask(null)
      tell({ data: null }, text)
    },
  }
  return (
    <>
      <Head invoice={invoice} onTask={setTask} />
      {shown}
      <StateNotice invoice={invoice} />
      <div className="payment-columns invoice-columns">
        <div className="payment-column">
          <InvoiceLines invoice={invoice} />
          {invoice.attachments.length > 0 && <InvoiceFiles invoice={invoice} />}
        </div>
        <div className="payment-column">
          <Sender invoice={invoice} />
          <History invoice={invoice} />
          <div className="acts">
            <SaveButton
              path={`/merchant-integrations-server/invoices/${invoice.id}/invoice.pdf`}
              fileName={`${invoice.number}.pdf`}
              label={invoicing.pdf}
            />
            <Button kind="danger-quiet" onClick={() => setTask('revoke')}>
              {invoicing.revoke}
            </Button>
          </div>
        </div>
      </div>
      {task === 'approve' && <ApproveInvoice {...dialog} />}
      {task === 'reject' && <RejectInvoice {...dialog} />}
      {task === 'pay' && <PayInvoice {...dialog} />}
      {task === 'revoke' && <RevokeLinks {...dialog} />}
    </>
  )
}

type HeadProps = { readonly invoice: ReviewedInvoice; readonly onTask: (task: Task) => void }

function Head({ invoice: { state, total, currency, voucherId }, onTask }: HeadProps) {
  return (
    <div className="payment-head">
      <div className="payment-amount">
        <Money value={total} code={currency} size="large" />
        <Status of={state} names={invoicing.states} />
      </div>
      <div className="acts">
        {state === 'pending' && (
          <>
            <Button kind="main" onClick={() => onTask('approve')}>
              {invoicing.approve}
            </Button>
            <Button kind="danger-quiet" onClick={() => onTask('reject')}>
              {invoicing.reject}
            </Button>
          </>
        )}
        {state === 'unpaid' && (
          <Button kind="main" onClick={() => onTask('pay')}>
            {invoicing.pay}
          </Button>
        )}
        {state === 'waiting' && (
          <Link className="button" data-kind="main" to="/approvals">
            {invoicing.toApprovals}
          </Link>
        )}
        {voucherId !== '' && (
          <Link className="button" data-kind="quiet" to={`/vouchers/${voucherId}`}>
            {invoicing.voucher}
          </Link>
        )}
      </div>
    </div>
  )
}

/** What to know before the next step. */
function StateNotice({ invoice: { state, isKnownSender, reason } }: { readonly invoice: ReviewedInvoice }) {
  if (state === 'pending' && !isKnownSender) return <Notice kind="wait">{invoicing.newSender}</Notice>
  if (state === 'waiting') return <Notice kind="wait">{invoicing.waitingLead}</Notice>
  if (state === 'unpaid') return <Notice kind="wait">{invoicing.unpaidLead}</Notice>
  if (state === 'rejected' && reason !== '') return <Notice>{`${invoicing.reason}${words.colon} ${reason}`}</Notice>
  return null
}

function Sender({ invoice }: { readonly invoice: ReviewedInvoice }) {
  const { fullName, email, senderNumber, senderAddress, invoiceDate, onChain, network } = invoice
  return (
    <Facts
      rows={[
        [invoicing.from, fullName],
        [invoicing.email, email],
        ...(senderAddress === ''
          ? []
          : [
              [
                invoicing.senderAddress,
                <span key="address" className="invoice-address">
                  {senderAddress}
                </span>,
              ] as const,
            ]),
        ...(senderNumber === '' ? [] : [[invoicing.senderNumber, senderNumber] as const]),
        [invoicing.date, <When key="date" at={invoiceDate} form="day" />],
        [invoicing.due, <Due key="due" invoice={invoice} />],
        ...(onChain ? [[invoicing.onChain, network] as const] : []),
      ]}
    />
  )
}

type Kind = ReviewedInvoice['history'][number]['kind']

const icons: Readonly<Record<Kind, LucideIcon>> = {
  submitted: Inbox,
  approved: ThumbsUp,
  rejected: CircleX,
  payment_requested: Clock,
  payment_approved: ThumbsUp,
  payment_cancelled: Ban,
  paid: Check,
}

function History({ invoice: { history } }: { readonly invoice: ReviewedInvoice }) {
  return (
    <Card heading={invoicing.history}>
      <Timeline
        entries={history.map(({ kind, at, by }, place) => ({
          // Two entries may have the same time, and their order never changes.
          key: String(place),
          icon: icons[kind],
          tone: kind === 'paid' ? 'good' : kind === 'rejected' ? 'bad' : 'plain',
          title: invoicing.kinds[kind],
          end: <When at={at} />,
          ...(by !== '' && { detail: invoicing.by(by) }),
        }))}
      />
    </Card>
  )
}
