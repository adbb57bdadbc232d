import { type ReactNode, useState } from 'react'
import { subtractDecimal } from '../../ui/decimal.ts'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Answer } from '../../ui/send-request.ts'
import { TextArea } from '../../ui/text-area.tsx'
import { PinDialog } from '../parts/pin-dialog.tsx'
import { TaskDialog } from '../parts/task-dialog.tsx'
import { useFaults } from '../parts/use-faults.ts'
import { act } from '../shell/request-dashboard.ts'
import type { InvoiceState, ReviewedInvoice } from '../shell/responses.ts'
import { formatMoney, Money } from '../shell/shop.tsx'
import { invoicing } from '../words/invoicing.ts'

type DecideProps = {
  readonly invoice: ReviewedInvoice
  readonly onClose: () => void
  /** With what was done. */
  readonly onDone: (text: string) => void
}

type Decided = { readonly state: InvoiceState }

/** Approving pays the invoice if the balance covers it, so it is confirmed with the PIN. */
export function ApproveInvoice({ invoice, onClose, onDone }: DecideProps): ReactNode {
  const money = formatMoney(invoice.total, invoice.currency)
  const isCovered = covers(invoice)
  const approve = (pin: string) => decide(invoice, 'approve', { pin }, onDone)
  return (
    <PinDialog
      heading={invoicing.approve}
      label={isCovered ? invoicing.approveAct(money) : invoicing.approve}
      perform={approve}
      onClose={onClose}
    >
      <PaymentFacts invoice={invoice} isCovered={isCovered} />
      {isCovered ? <p>{invoicing.approveLead(invoice.email)}</p> : <Notice kind="wait">{invoicing.shortLead}</Notice>}
    </PinDialog>
  )
}

export function PayInvoice({ invoice, onClose, onDone }: DecideProps): ReactNode {
  const isCovered = covers(invoice)
  const pay = (pin: string) => decide(invoice, 'pay', { pin }, onDone)
  return (
    <PinDialog
      heading={invoicing.pay}
      label={invoicing.payAct(formatMoney(invoice.total, invoice.currency))}
      perform={pay}
      onClose={onClose}
    >
      <PaymentFacts invoice={invoice} isCovered={isCovered} />
      <p>{invoicing.approveLead(invoice.email)}</p>
    </PinDialog>
  )
}

function covers({ available, total }: ReviewedInvoice): boolean {
  return !subtractDecimal(available, total).startsWith('-')
}

/** What is paid to whom, and what remains of the balance. */
function PaymentFacts({ invoice, isCovered }: { readonly invoice: ReviewedInvoice; readonly isCovered: boolean }) {
  const { fullName, total, available, currency } = invoice
  const remaining = [
    invoicing.remaining,
    <Money key="remaining" value={isCovered ? subtractDecimal(available, total) : available} code={currency} />,
  ] as const
  return (
    <Facts
      rows={[
        [invoicing.from, fullName],
        [invoicing.total, <Money key="total" value={total} code={currency} />],
        [invoicing.available, <Money key="available" value={available} code={currency} />],
        ...(isCovered ? [remaining] : []),
      ]}
    />
  )
}

/** Moves no money, so it needs no PIN. */
export function RejectInvoice({ invoice, onClose, onDone }: DecideProps): ReactNode {
  const [reason, setReason] = useState('')
  const faults = useFaults(reason.trim() === '' ? { reason: invoicing.reasonMissing } : {})
  return (
    <TaskDialog
      heading={invoicing.reject}
      label={invoicing.reject}
      isDanger
      check={faults.check}
      perform={() => act(`/merchant/invoices/${invoice.id}/reject`, { reason: reason.trim() })}
      onDone={() => onDone(invoicing.done.rejected)}
      onClose={onClose}
    >
      <p>{invoicing.rejectLead}</p>
      <TextArea
        label={invoicing.rejectReason}
        hint={invoicing.rejectReasonHint}
        error={faults.of('reason')}
        rows={3}
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </TaskDialog>
  )
}

export function RevokeLinks({ invoice, onClose, onDone }: DecideProps): ReactNode {
  return (
    <TaskDialog
      heading={invoicing.revoke}
      label={invoicing.revoke}
      isDanger
      perform={() => act(`/merchant-integrations-server/invoices/${invoice.id}/revoke-links`, {})}
      onDone={() => onDone(invoicing.revoked)}
      onClose={onClose}
    >
      <p>{invoicing.revokeLead}</p>
    </TaskDialog>
  )
}

async function decide(
  { id, total, currency }: ReviewedInvoice,
  what: 'approve' | 'pay',
  body: object,
  onDone: (text: string) => void,
): Promise<Answer<unknown>> {
  const response = await act<Decided>(`/merchant/invoices/${id}/${what}`, body)
  if ('refusal' in response) return response
  const { state } = response.data
  const { done } = invoicing
  onDone(state === 'paid' ? done.paid(formatMoney(total, currency)) : state === 'waiting' ? done.waiting : done.unpaid)
  return response
}
