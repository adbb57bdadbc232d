import { type SubmitEvent, useState, type ReactNode } from 'react'
import { totalOf } from '../../server/src/billing/invoice/lines.ts'
import { formatMoney } from '../../server/src/base/money.ts'
import { Amount, type Currency } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { focusFirstInvalid } from '../ui/field.tsx'
import { nameCurrency } from '../ui/currency-name.ts'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { checkLine, emptyLine, type TypedLine } from './check-line.ts'
import './invoice.css'
import { LineList } from './line-list.tsx'
import type { InvoiceCurrency, MerchantLink, Recipient } from './request-invoice.ts'
import { checkSender, emptySender, SenderFields } from './sender-fields.tsx'
import { type Submission, useSubmission } from './use-submission.ts'
import { describeError, words } from './words.ts'

type InvoiceFormProps = {
  readonly link: MerchantLink
  readonly recipient: Recipient
  readonly onDone: (token: string) => void
}

export function InvoiceForm({ link, recipient, onDone }: InvoiceFormProps): ReactNode {
  const { name, currencies } = recipient
  const [sender, setSender] = useState(emptySender)
  const [code, setCode] = useState(currencies[0]?.abbreviation ?? '')
  const [lines, setLines] = useState<readonly TypedLine[]>(() => [emptyLine()])
  const [showsErrors, setShowsErrors] = useState(false)
  const submission = useSubmission(link, onDone)

  const currency = currencies.find(({ abbreviation }) => abbreviation === code) ?? currencies[0]
  if (currency === undefined) return null
  const moneyCurrency = { code: currency.abbreviation, decimals: currency.decimals }
  const checked = lines.map((line) => checkLine(line, moneyCurrency))
  const total = formatMoney({ minor: totalOf(checked.flatMap(({ line }) => line ?? [])), currency: moneyCurrency })

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setShowsErrors(true)
    const isComplete = Object.keys(checkSender(sender)).length === 0 && checked.every(({ line }) => line !== undefined)
    if (!isComplete) {
      focusFirstInvalid(event.currentTarget)
      return
    }
    const invoiceItems = checked.map(({ item }) => item)
    submission.send({ ...sender, currencyAbbreviation: currency.abbreviation, invoiceItems })
  }

  return (
    <form onSubmit={submit} onChange={submission.forgetRefusal} noValidate>
      <Sheet isWide act={<SubmitArea total={total} currency={currency} submission={submission} />}>
        <PageHeading above={words.form.to}>{name}</PageHeading>
        <SenderFields sender={sender} errors={showsErrors ? checkSender(sender) : {}} onSender={setSender} />
        {currencies.length > 1 && <CurrencyChoice currencies={currencies} value={code} onCode={setCode} />}
        <LineList lines={lines} checked={checked} currency={currency} showsErrors={showsErrors} onLines={setLines} />
      </Sheet>
    </form>
  )
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

type SubmitAreaProps = { readonly total: string; readonly currency: Currency; readonly submission: Submission }

function SubmitArea({ total, currency, submission: { isSending, refusal } }: SubmitAreaProps) {
  return (
    <div className="invoice-act">
      <p className="invoice-total" role="status">
        <span>{words.form.total}</span>
        <Amount value={total} currency={currency} />
      </p>
      {refusal !== null && (
        <Notice kind="error">{refusal.code === 'UNREACHABLE' ? words.form.unreachable : describeError(refusal)}</Notice>
      )}
      <Button kind="main" type="submit" aria-disabled={isSending}>
        {isSending ? words.form.sending : words.form.act}
      </Button>
    </div>
  )
}
