import { type ReactNode, useState } from 'react'
import { Amount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { groupDecimal } from '../ui/numbers.ts'
import { Moment, writeMoment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { fetchPdf, type Invoice } from './request-invoice.ts'
import './invoice.css'
import { words } from './words.ts'

type InvoiceViewProps = { readonly invoice: Invoice; readonly token: string; readonly isStale: boolean }

export function InvoiceView({ invoice, token, isStale }: InvoiceViewProps): ReactNode {
  const { merchant, number } = invoice
  const { heading, text } = describeState(invoice)
  const day = (at: string): string => writeMoment(new Date(at), 'day', merchant.timeZone)
  return (
    <Sheet isWide act={<Download token={token} number={number} />}>
      <PageHeading above={words.view.heading(number, merchant.name)}>{heading}</PageHeading>
      {isStale && <Notice kind="error">{words.view.stale}</Notice>}
      <p>{text}</p>
      <Steps invoice={invoice} />
      <dl className="invoice-facts">
        <Fact name={words.view.from}>
          {invoice.fullName}
          <span className="invoice-more">{invoice.email}</span>
        </Fact>
        <Fact name={words.view.date}>{day(invoice.invoiceDate)}</Fact>
        <Fact name={words.view.due}>{day(invoice.dueDate)}</Fact>
      </dl>
      <InvoiceTable invoice={invoice} />
      <p className="invoice-more">{words.view.privacy(invoice.email)}</p>
    </Sheet>
  )
}

function InvoiceTable({ invoice: { items, total, currency } }: { readonly invoice: Invoice }) {
  return (
    <table className="invoice-table">
      <thead>
        <tr>
          <th scope="col">{words.line.description}</th>
          <th scope="col">{words.line.quantity}</th>
          <th scope="col">{words.line.unitPrice}</th>
          <th scope="col">{words.line.amount}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.id}>
            <th scope="row">{item.description}</th>
            <td data-label={words.line.quantity}>{groupDecimal(item.quantity)}</td>
            <td data-label={words.line.unitPrice}>
              <Amount value={item.unitPrice} currency={currency} />
            </td>
            <td data-label={words.line.amount}>
              <Amount value={item.total} currency={currency} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colSpan={3}>
            {words.view.total}
          </th>
          <td>
            <Amount value={total} currency={currency} />
          </td>
        </tr>
      </tfoot>
    </table>
  )
}

type StateText = { readonly heading: string; readonly text: string }

/** The heading and the explanation of the state that an invoice is in. */
export function describeState({ status, paidAt, reason, merchant: { name }, email }: Invoice): StateText {
  const { states } = words
  if (paidAt !== null) return { heading: states.paid, text: states.paidLead(email) }
  if (status === 'Approved') return { heading: states.approved, text: states.approvedLead(name, email) }
  if (status === 'Rejected') {
    const text = reason === '' ? states.rejectedNoReason(name) : states.rejectedLead(name, reason)
    return { heading: states.rejected, text }
  }
  return { heading: states.pending, text: states.pendingLead(name, email) }
}

function Steps({ invoice: { status, createdAt, decidedAt, paidAt } }: { readonly invoice: Invoice }) {
  const steps = [
    { name: words.steps.Sent, at: createdAt, isBad: false },
    { name: words.steps[status], at: decidedAt, isBad: status === 'Rejected' },
    ...(status === 'Rejected' ? [] : [{ name: words.steps.Paid, at: paidAt, isBad: false }]),
  ]
  return (
    <ol className="invoice-steps" aria-label={words.steps.label}>
      {steps.map(({ name, at, isBad }) => (
        <li key={name} data-done={at !== null || undefined} data-bad={isBad || undefined}>
          {name}
          <span className="invoice-more">{at === null ? words.steps.notYet : <Moment at={at} />}</span>
        </li>
      ))}
    </ol>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Download({ token, number }: { readonly token: string; readonly number: string }) {
  const [state, setState] = useState<'' | 'loading' | 'failed'>('')
  const download = () => {
    if (state === 'loading') return
    setState('loading')
    void fetchPdf(token).then((pdf) => {
      setState(pdf === null ? 'failed' : '')
      if (pdf === null) return
      const url = URL.createObjectURL(pdf)
      Object.assign(document.createElement('a'), { href: url, download: words.view.fileName(number) }).click()
      URL.revokeObjectURL(url)
    })
  }
  return (
    <div className="invoice-act">
      <Button onClick={download} aria-disabled={state === 'loading'}>
        {state === 'loading' ? words.oneMoment : words.view.download}
      </Button>
      {state === 'failed' && <Notice kind="error">{words.view.downloadFailed}</Notice>}
    </div>
  )
}
