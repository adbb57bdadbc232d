import type { ReactNode } from 'react'
import { splitAddress } from '../../server/src/billing/invoice/clean-text.ts'
import { addressLinesMax, addressMax, senderNumberMax } from '../../server/src/billing/invoice/limits.ts'
import { DateField } from '../ui/date-field.tsx'
import { Field } from '../ui/field.tsx'
import { TextArea } from '../ui/text-area.tsx'
import { words } from './words.ts'

export type Sender = {
  readonly fullName: string
  readonly email: string
  readonly senderAddress: string
  readonly senderNumber: string
  readonly invoiceDate: string
  readonly dueDate: string
}

export type SenderErrors = Partial<Record<keyof Sender, string>>

type SenderFieldsProps = {
  readonly sender: Sender
  readonly errors: SenderErrors
  readonly onSender: (sender: Sender) => void
}

/** The sender's name and addresses, and the number and the dates of the invoice. */
export function SenderFields({ sender, errors, onSender }: SenderFieldsProps): ReactNode {
  const bind = (name: keyof Sender) => ({
    value: sender[name],
    error: errors[name] ?? '',
    onChange: (event: { target: { value: string } }) => onSender({ ...sender, [name]: event.target.value }),
  })
  const bindDate = (name: 'invoiceDate' | 'dueDate') => ({
    value: sender[name],
    error: errors[name] ?? '',
    onDay: (day = '') => onSender({ ...sender, [name]: day }),
  })
  const { form } = words
  return (
    <>
      <div className="invoice-pair">
        <Field label={form.fullName} autoComplete="name" maxLength={200} {...bind('fullName')} />
        <Field
          label={form.email}
          type="email"
          autoComplete="email"
          maxLength={254}
          hint={form.emailHint}
          {...bind('email')}
        />
        <TextArea
          label={form.senderAddress}
          hint={form.optional}
          autoComplete="street-address"
          maxLength={addressMax}
          rows={4}
          {...bind('senderAddress')}
        />
        <Field
          label={form.senderNumber}
          autoComplete="off"
          maxLength={senderNumberMax}
          hint={form.senderNumberHint}
          {...bind('senderNumber')}
        />
      </div>
      <div className="invoice-pair">
        <DateField label={form.invoiceDate} {...bindDate('invoiceDate')} />
        <DateField label={form.dueDate} {...bindDate('dueDate')} />
      </div>
    </>
  )
}

/** Dated today and due in 30 days. */
export function emptySender(): Sender {
  const texts = { fullName: '', email: '', senderAddress: '', senderNumber: '' }
  return { ...texts, invoiceDate: dayFromToday(0), dueDate: dayFromToday(30) }
}

/** The error of every field that has one. */
export function checkSender({ fullName, email, senderAddress, invoiceDate, dueDate }: Sender): SenderErrors {
  return {
    ...(fullName.trim() === '' && { fullName: words.form.fullNameMissing }),
    ...(!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) && { email: words.form.emailInvalid }),
    ...(splitAddress(senderAddress).length > addressLinesMax && { senderAddress: words.form.addressTooLong }),
    ...(invoiceDate === '' && { invoiceDate: words.form.dateMissing }),
    ...(dueDate !== '' && dueDate < invoiceDate && { dueDate: words.form.dueTooEarly }),
    ...(dueDate === '' && { dueDate: words.form.dateMissing }),
  }
}

/** Refusals of the server that are about one field. */
export function fieldOfRefusal(code: string): keyof Sender | undefined {
  const fields: Readonly<Record<string, keyof Sender>> = {
    INVOICE_NUMBER_TAKEN: 'senderNumber',
    INVOICE_ADDRESS_INVALID: 'senderAddress',
    INVOICE_DATE_INVALID: 'dueDate',
  }
  return fields[code]
}

/** A date in the reader's time zone, such as 2031-12-31. */
function dayFromToday(days: number): string {
  const at = new Date()
  at.setDate(at.getDate() + days)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
