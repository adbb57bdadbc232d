import { type ReactNode, useState } from 'react'
import { Amount, type Currency } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { groupDecimal } from '../ui/numbers.ts'
import { Moment, writeMoment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { writeSize } from '../ui/file-size.ts'
import { fetchPdf, type Invoice } from './request-invoice.ts'
import { ShopLogo } from './shop-logo.tsx'
import './invoice.css'
import { describeTax, words } from './words.ts'

type InvoiceViewProps = { readonly invoice: Invoice; readonly token: string; readonly isStale: boolean }

export function InvoiceView({ invoice, token, isStale }: InvoiceViewProps): ReactNode {
  const { merchant, number } = invoice
  const { heading, text } = describeState(invoice)
  const day = (at: string): string => writeMoment(new Date(at), 'day', merchant.timeZone)
  return (
    <Sheet isWide act={<Download token={token} number={number} />}>
      <ShopLogo shop={invoice.shop} />
      <PageHeading above={words.view.heading(number, merchant.name)}>{heading}</PageHeading>
      {isStale && <Notice kind="error">{words.view.stale}</Notice>}
      <p>{text}</p>
      <Steps invoice={invoice} />
      <dl className="invoice-facts">
        <Fact name={words.view.from}>
          {invoice.fullName}
          <span className="invoice-more">{invoice.email}</span>
          {invoice.senderAddress !== '' && (
            <span className="invoice-more invoice-address">{invoice.senderAddress}</span>
          )}
        </Fact>
        <Fact name={words.view.date}>{day(invoice.invoiceDate)}</Fact>
        <Fact name={words.view.due}>{day(invoice.dueDate)}</Fact>
        {invoice.senderNumber !== '' && <Fact name={words.view.senderNumber}>{invoice.senderNumber}</Fact>}
      </dl>
      <InvoiceTable invoice={invoice} />
      {invoice.attachments.length > 0 && <SentFiles invoice={invoice} />}
      <p className="invoice-more">{words.view.privacy(invoice.email)}</p>
    </Sheet>
  )
}

/** The files by name and size. Only the merchant can open them. */
function SentFiles({ invoice: { attachments, merchant } }: { readonly invoice: Invoice }) {
  return (
    <section aria-labelledby="files-heading" className="invoice-files">
      <h2 id="files-heading">{words.view.files}</h2>
      <ul className="invoice-file-list">
        {attachments.map(({ name, size }, i) => (
          <li className="invoice-file" key={i}>
            <span className="invoice-file-name">{name}</span>
            <span className="invoice-more">{writeSize(size)}</span>
          </li>
        ))}
      </ul>
      <p className="invoice-more">{words.view.filesLead(merchant.name)}</p>
    </section>
  )
}

function InvoiceTable({ invoice: { items, net, taxes, total, currency } }: { readonly invoice: Invoice }) {
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
        {taxes.length > 0 && <SumRow name={words.view.net} value={net} currency={currency} />}
        {taxes.map((tax, i) => (
          <SumRow key={i} name={describeTax(tax)} value={tax.amount} currency={currency} />
        ))}
        <SumRow name={words.view.total} value={total} currency={currency} isTotal />
      </tfoot>
    </table>
  )
}

type SumRowProps = {
  readonly name: string
  readonly value: string
  readonly currency: Currency
  readonly isTotal?: boolean
}

function SumRow({ name, value, currency, isTotal = false }: SumRowProps) {
  return (
    <tr data-total={isTotal || undefined}>
      <th scope="row" colSpan={3}>
        {name}
      </th>
      <td>
        <Amount value={value} currency={currency} />
      </td>
    </tr>
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
