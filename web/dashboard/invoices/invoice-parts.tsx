import { FileText } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconTile } from '../../ui/avatar.tsx'
import { Card, Row } from '../../ui/card.tsx'
import { writeSize } from '../../ui/file-size.ts'
import { groupDecimal } from '../../ui/numbers.ts'
import { SaveButton } from '../parts/save-file.tsx'
import type { ReviewedInvoice } from '../shell/responses.ts'
import { Money } from '../shell/shop.tsx'
import { invoicing } from '../words/invoicing.ts'
import { words } from '../words/words.ts'

type InvoiceProps = { readonly invoice: ReviewedInvoice }

/** The lines, the taxes and the total. On a phone each line is a block with its values labelled. */
export function InvoiceLines({ invoice: { items, taxes, net, total, currency } }: InvoiceProps): ReactNode {
  return (
    <div className="invoice-sheet">
      <table className="invoice-lines">
        <caption className="for-screen-readers">{invoicing.lines}</caption>
        <thead>
          <tr>
            <th scope="col">{invoicing.description}</th>
            <th scope="col">{invoicing.quantity}</th>
            <th scope="col">{invoicing.unitPrice}</th>
            <th scope="col">{words.amount}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <th scope="row">{item.description}</th>
              <td data-label={invoicing.quantity}>{groupDecimal(item.quantity)}</td>
              <td data-label={invoicing.unitPrice}>
                <Money value={item.unitPrice} code={currency} />
              </td>
              <td data-label={words.amount}>
                <Money value={item.total} code={currency} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {taxes.length > 0 && <SumRow name={invoicing.net} value={net} code={currency} />}
          {taxes.map(({ name, rate, amount }, place) => (
            <SumRow key={place} name={invoicing.tax(name, groupDecimal(rate))} value={amount} code={currency} />
          ))}
          <SumRow name={invoicing.total} value={total} code={currency} isTotal />
        </tfoot>
      </table>
    </div>
  )
}

type SumRowProps = {
  readonly name: string
  readonly value: string
  readonly code: string
  readonly isTotal?: boolean
}

function SumRow({ name, value, code, isTotal = false }: SumRowProps) {
  return (
    <tr data-total={isTotal || undefined}>
      <th scope="row" colSpan={3}>
        {name}
      </th>
      <td>
        <Money value={value} code={code} />
      </td>
    </tr>
  )
}

/** Files are saved and never shown: they come from strangers. */
export function InvoiceFiles({ invoice: { id, attachments } }: InvoiceProps): ReactNode {
  return (
    <Card heading={invoicing.files} foot={<p className="soft">{invoicing.filesLead}</p>} hasPadding={false}>
      <ul className="row-list">
        {attachments.map((file) => (
          <li key={file.id}>
            <Row
              lead={<IconTile icon={FileText} shape="square" size="s" />}
              title={<span className="invoice-file">{file.name}</span>}
              detail={writeSize(file.size)}
              end={
                <SaveButton
                  path={`/merchant/invoices/${id}/attachments/${file.id}`}
                  fileName={file.name}
                  label={words.download}
                  about={file.name}
                />
              }
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}
