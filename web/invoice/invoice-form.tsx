import { type SubmitEvent, useState, type ReactNode } from 'react'
import type { Currency } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { focusFirstInvalid } from '../ui/field.tsx'
import { nameCurrency } from '../ui/currency-name.ts'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { AttachmentList } from './attachment-list.tsx'
import { checkInvoice, type CheckedInvoice } from './check-invoice.ts'
import { emptyLine, type TypedLine } from './check-line.ts'
import type { TypedTax } from './check-tax.ts'
import './invoice.css'
import { InvoiceSum } from './invoice-sum.tsx'
import { LineList } from './line-list.tsx'
import type { Draft, InvoiceCurrency, MerchantLink, Recipient } from './request-invoice.ts'
import {
  checkSender,
  emptySender,
  fieldOfRefusal,
  type Sender,
  type SenderErrors,
  SenderFields,
} from './sender-fields.tsx'
import { ShopLogo } from './shop-logo.tsx'
import { TaxList } from './tax-list.tsx'
import { type AttachedFile, useAttachments } from './use-attachments.ts'
import { type Submission, useSubmission } from './use-submission.ts'
import { describeError, words } from './words.ts'

type InvoiceFormProps = {
  readonly link: MerchantLink
  readonly recipient: Recipient
  readonly onDone: (token: string) => void
}

export function InvoiceForm({ link, recipient, onDone }: InvoiceFormProps): ReactNode {
  const { name, currencies, shop } = recipient
  const [sender, setSender] = useState(emptySender)
  const [code, setCode] = useState(currencies[0]?.abbreviation ?? '')
  const [lines, setLines] = useState<readonly TypedLine[]>(() => [emptyLine()])
  const [taxes, setTaxes] = useState<readonly TypedTax[]>([])
  const [showsErrors, setShowsErrors] = useState(false)
  const attachments = useAttachments(link)
  const submission = useSubmission(link, onDone)

  const currency = currencies.find(({ abbreviation }) => abbreviation === code) ?? currencies[0]
  if (currency === undefined) return null
  const checked = checkInvoice(lines, taxes, { code: currency.abbreviation, decimals: currency.decimals })
  const errors = { ...(showsErrors ? checkSender(sender) : {}), ...refusedField(submission) }
  const fileError = checkFiles(attachments.files)

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    setShowsErrors(true)
    const faults = checkSender(sender)
    const isComplete = Object.keys(faults).length === 0 && checked.isComplete && fileError === ''
    if (isComplete) submission.send(toDraft(sender, currency, checked, attachments.files), () => focusFirstFault(form))
    else focusFirstFault(form)
  }
  const changeSender = (changed: Sender) => {
    setSender(changed)
    submission.forgetRefusal()
  }

  return (
    <form onSubmit={submit} onChange={submission.forgetRefusal} noValidate>
      <Sheet isWide act={<SubmitArea checked={checked} currency={currency} submission={submission} />}>
        <ShopLogo shop={shop} />
        <PageHeading above={words.form.to}>{name}</PageHeading>
        <SenderFields sender={sender} errors={errors} onSender={changeSender} />
        {currencies.length > 1 && <CurrencyChoice currencies={currencies} value={code} onCode={setCode} />}
        <LineList
          lines={lines}
          checked={checked.lines}
          currency={currency}
          showsErrors={showsErrors}
          onLines={setLines}
        />
        <TaxList
          taxes={taxes}
          checked={checked.taxes}
          currency={currency}
          showsErrors={showsErrors}
          onTaxes={setTaxes}
        />
        <AttachmentList attachments={attachments} error={showsErrors ? fileError : ''} />
      </Sheet>
    </form>
  )
}

/** The error of the field that the server refused, if it is about one. */
function refusedField({ refusal }: Submission): SenderErrors {
  const field = refusal === null ? undefined : fieldOfRefusal(refusal.code)
  return refusal === null || field === undefined ? {} : { [field]: describeError(refusal) }
}

function checkFiles(files: readonly AttachedFile[]): string {
  if (files.some(({ error }) => error !== '')) return words.file.hasFailed
  return files.some(({ id }) => id === '') ? words.file.isUploading : ''
}

/** Moves the focus to the first field with an error, or to the button that removes a file which cannot be sent. */
function focusFirstFault(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>('[data-failed] button')?.focus()
  focusFirstInvalid(form)
}

/** What is sent: without the optional fields that are empty. */
function toDraft(sender: Sender, currency: Currency, checked: CheckedInvoice, files: readonly AttachedFile[]): Draft {
  const { senderAddress, senderNumber, ...others } = sender
  return {
    ...others,
    ...(senderAddress.trim() !== '' && { senderAddress }),
    ...(senderNumber.trim() !== '' && { senderNumber }),
    currencyAbbreviation: currency.abbreviation,
    invoiceItems: checked.lines.map(({ item }) => item),
    taxes: checked.taxes.map(({ item }) => item),
    totalAmount: checked.total,
    attachments: files.map(({ id }) => id),
  }
}

type CurrencyChoiceProps = {
  readonly currencies: readonly InvoiceCurrency[]
  readonly value: string
  readonly onCode: (code: string) => void
}

function CurrencyChoice({ currencies, value, onCode }: CurrencyChoiceProps) {
  return (
    <Choice
      label={words.form.currency}
      value={value}
      options={currencies.map(({ abbreviation, name }) => [
        abbreviation,
        `${abbreviation}, ${nameCurrency(abbreviation, name)}`,
      ])}
      onChange={(event) => onCode(event.target.value)}
    />
  )
}

type SubmitAreaProps = {
  readonly checked: CheckedInvoice
  readonly currency: Currency
  readonly submission: Submission
}

function SubmitArea({ checked, currency, submission: { isSending, refusal } }: SubmitAreaProps) {
  const isOfField = refusal !== null && fieldOfRefusal(refusal.code) !== undefined
  return (
    <div className="invoice-act">
      <InvoiceSum checked={checked} currency={currency} />
      {refusal !== null && !isOfField && (
        <Notice kind="error">{refusal.code === 'UNREACHABLE' ? words.form.unreachable : describeError(refusal)}</Notice>
      )}
      <Button kind="main" type="submit" aria-disabled={isSending}>
        {isSending ? words.form.sending : words.form.act}
      </Button>
    </div>
  )
}
