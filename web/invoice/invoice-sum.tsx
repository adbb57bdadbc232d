import type { ReactNode } from 'react'
import { Amount, type Currency } from '../ui/amount.tsx'
import type { CheckedInvoice } from './check-invoice.ts'
import { describeTax, words } from './words.ts'

type InvoiceSumProps = { readonly checked: CheckedInvoice; readonly currency: Currency }

/** The net amount and the taxes, if there are any, and what is to be paid. */
export function InvoiceSum({ checked: { net, taxes, total }, currency }: InvoiceSumProps): ReactNode {
  return (
    <div className="invoice-sum">
      {taxes.length > 0 && (
        <SumRow name={words.view.net}>
          <Amount value={net} currency={currency} />
        </SumRow>
      )}
      {taxes.map(({ item, tax, amount }, i) => (
        <SumRow key={i} name={tax === undefined ? item.name || words.tax.number(i + 1) : describeTax(item)}>
          {amount === '' ? '–' : <Amount value={amount} currency={currency} />}
        </SumRow>
      ))}
      <p className="invoice-total" role="status">
        <span>{words.form.total}</span>
        <Amount value={total} currency={currency} />
      </p>
    </div>
  )
}

function SumRow({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <p className="invoice-sum-row">
      <span>{name}</span>
      {children}
    </p>
  )
}
