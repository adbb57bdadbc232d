import type { ReactNode } from 'react'
import { Field } from '../ui/field.tsx'
import { DateField } from './date-field.tsx'
import { words } from './words.ts'

export type Sender = {
  readonly fullName: string
  readonly email: string
  readonly invoiceDate: string
  readonly dueDate: string
}

type SenderErrors = Partial<Record<keyof Sender, string>>

type SenderFieldsProps = {
  readonly sender: Sender
  readonly errors: SenderErrors
  readonly onSender: (sender: Sender) => void
}

/** The sender's name and email address, and the dates of the invoice. */
export function SenderFields({ sender, errors, onSender }: SenderFieldsProps): ReactNode {
  const bind = (name: keyof Sender) => ({
    value: sender[name],
    error: errors[name] ?? '',
    onChange: (event: { target: { value: string } }) => onSender({ ...sender, [name]: event.target.value }),
  })
  const bindDate = (name: 'invoiceDate' | 'dueDate') => ({
    value: sender[name],
    error: errors[name] ?? '',
    onDate: (date: string) => onSender({ ...sender, [name]: date }),
  })
  return (
    <>
      <div className="invoice-pair">
        <Field label={words.form.fullName} autoComplete="name" maxLength={200} {...bind('fullName')} />
        <Field
          label={words.form.email}
          type="email"
          autoComplete="email"
          maxLength={254}
          hint={words.form.emailHint}
          {...bind('email')}
        />
      </div>
      <div className="invoice-pair">
        <DateField label={words.form.invoiceDate} {...bindDate('invoiceDate')} />
        <DateField label={words.form.dueDate} {...bindDate('dueDate')} />
      </div>
    </>
  )
}

/** Dated today and due in 30 days. */
export function emptySender(): Sender {
  return { fullName: '', email: '', invoiceDate: dayFromToday(0), dueDate: dayFromToday(30) }
}

/** The error of every field that has one. */
export function checkSender({ fullName, email, invoiceDate, dueDate }: Sender): SenderErrors {
  return {
    ...(fullName.trim() === '' && { fullName: words.form.fullNameMissing }),
    ...(!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) && { email: words.form.emailInvalid }),
    ...(invoiceDate === '' && { invoiceDate: words.form.dateMissing }),
    ...(dueDate !== '' && dueDate < invoiceDate && { dueDate: words.form.dueTooEarly }),
    ...(dueDate === '' && { dueDate: words.form.dateMissing }),
  }
}

/** A date in the reader's time zone, such as 2031-12-31. */
function dayFromToday(days: number): string {
  const at = new Date()
  at.setDate(at.getDate() + days)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
