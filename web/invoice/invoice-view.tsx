import { type ReactNode, useState } from 'react'
import { Amount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { askPdf, type Invoice } from './ask-invoice.ts'
import './invoice.css'

type InvoiceViewProps = { readonly invoice: Invoice; readonly token: string; readonly isStale: boolean }

export function InvoiceView({ invoice, token, isStale }: InvoiceViewProps) {
  const { merchant, currency, number, items, total } = invoice
  const { heading, text } = stateOf(invoice)
  const day = (at: string): string =>
    new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: merchant.timeZone }).format(new Date(at))
  return (
    <Sheet isWide act={<Download token={token} number={number} />}>
      <PageHeading above={`Invoice ${number} to ${merchant.name}`}>{heading}</PageHeading>
      {isStale && <Notice kind="error">We cannot reach the server. This is what we knew last.</Notice>}
      <p>{text}</p>
      <Steps invoice={invoice} />
      <dl className="invoice-facts">
        <Fact name="From">
          {invoice.fullName}
          <span className="invoice-more">{invoice.email}</span>
        </Fact>
        <Fact name="Date">{day(invoice.invoiceDate)}</Fact>
        <Fact name="Due">{day(invoice.dueDate)}</Fact>
      </dl>
      <table className="invoice-table">
        <thead>
          <tr>
            <th scope="col">Description</th>
            <th scope="col">Quantity</th>
            <th scope="col">Unit price</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <th scope="row">{item.description}</th>
              <td data-label="Quantity">{item.quantity}</td>
              <td data-label="Unit price">
                <Amount value={item.unitPrice} currency={currency} />
              </td>
              <td data-label="Amount">
                <Amount value={item.total} currency={currency} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              Total
            </th>
            <td>
              <Amount value={total} currency={currency} />
            </td>
          </tr>
        </tfoot>
      </table>
      <p className="invoice-more">
        Whoever has the address of this page can see the invoice. It is also in the mail that we sent to {invoice.email}
        .
      </p>
    </Sheet>
  )
}

/** What to say of it. */
export function stateOf({ status, paidAt, reason, merchant, email }: Invoice): { heading: string; text: string } {
  if (paidAt !== null) return { heading: 'It is paid', text: `The voucher for the whole of it was sent to ${email}.` }
  if (status === 'Approved')
    return { heading: 'It is approved', text: `${merchant.name} pays it by a voucher, which will be sent to ${email}.` }
  if (status === 'Rejected')
    return {
      heading: 'It was rejected',
      text: reason === '' ? `${merchant.name} gave no reason. Ask them.` : `${merchant.name} says: ${reason}`,
    }
  return {
    heading: `${merchant.name} has it`,
    text: `They decide, and you get a mail at ${email}. This page shows it too.`,
  }
}

function Steps({ invoice: { status, createdAt, decidedAt, paidAt } }: { readonly invoice: Invoice }) {
  const steps = [
    { name: 'Sent', at: createdAt },
    { name: status === 'Pending' ? 'Decided' : status, at: decidedAt },
    ...(status === 'Rejected' ? [] : [{ name: 'Paid', at: paidAt }]),
  ]
  return (
    <ol className="invoice-steps" aria-label="How far it is">
      {steps.map(({ name, at }) => (
        <li key={name} data-done={at !== null || undefined} data-bad={name === 'Rejected' || undefined}>
          {name}
          <span className="invoice-more">{at === null ? 'not yet' : <Moment at={at} />}</span>
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
  const [state, setState] = useState<'' | 'asking' | 'failed'>('')
  const download = () => {
    if (state === 'asking') return
    setState('asking')
    void askPdf(token).then((pdf) => {
      setState(pdf === null ? 'failed' : '')
      if (pdf === null) return
      const url = URL.createObjectURL(pdf)
      Object.assign(document.createElement('a'), { href: url, download: `invoice-${number}.pdf` }).click()
      URL.revokeObjectURL(url)
    })
  }
  return (
    <div className="invoice-act">
      <Button onClick={download} aria-disabled={state === 'asking'}>
        {state === 'asking' ? 'One moment' : 'Download as PDF'}
      </Button>
      {state === 'failed' && <Notice kind="error">The PDF did not come. Try again in a moment.</Notice>}
    </div>
  )
}
