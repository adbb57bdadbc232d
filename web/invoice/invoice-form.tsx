import { type SubmitEvent, useRef, useState } from 'react'
import { totalOf } from '../../server/src/invoice/lines.ts'
import { formatMoney } from '../../server/src/base/money.ts'
import { Amount } from '../ui/amount.tsx'
import type { Refusal } from '../ui/ask-server.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { type Address, type Draft, submitInvoice, type Taker } from './ask-invoice.ts'
import './invoice.css'
import { emptyLine, LineFields, type TypedLine, weigh } from './line-fields.tsx'

type InvoiceFormProps = { readonly address: Address; readonly taker: Taker; readonly onDone: (token: string) => void }

const linesMax = 100
const none: Refusal = { code: '', message: '' }

export function InvoiceForm({ address, taker, onDone }: InvoiceFormProps) {
  const [words, setWords] = useState(() => ({ fullName: '', email: '', invoiceDate: dayFrom(0), dueDate: dayFrom(30) }))
  const [code, setCode] = useState(taker.currencies[0]?.abbreviation ?? '')
  const [lines, setLines] = useState<readonly TypedLine[]>(() => [emptyLine()])
  const [isChecked, setIsChecked] = useState(false)
  const [isSending, setIsSending] = useState(false)
  const [refusal, setRefusal] = useState(none)
  const form = useRef<HTMLFormElement>(null)
  // What was sent last, and under which key.
  const sent = useRef({ text: '', key: '' })

  const currency = taker.currencies.find(({ abbreviation }) => abbreviation === code) ?? taker.currencies[0]
  if (currency === undefined) return null
  const decimals = { code: currency.abbreviation, decimals: currency.decimals }
  const weighed = lines.map((line) => weigh(line, decimals))
  const total = formatMoney({ minor: totalOf(weighed.flatMap(({ read }) => read ?? [])), currency: decimals })
  const faults = isChecked ? faultsOf(words) : {}
  const say = (name: keyof typeof words) => ({
    value: words[name],
    error: faults[name] ?? '',
    onChange: (event: { target: { value: string } }) => setWords({ ...words, [name]: event.target.value }),
  })

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setIsChecked(true)
    if (Object.keys(faultsOf(words)).length > 0 || weighed.some(({ read }) => read === undefined)) {
      // Where the first fault is, once it is marked.
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
      return
    }
    if (isSending) return
    setIsSending(true)
    setRefusal(none)
    const invoiceItems = weighed.flatMap(({ asked }) => asked)
    const draft: Draft = { ...words, currencyAbbreviation: currency.abbreviation, invoiceItems }
    const text = JSON.stringify(draft)
    if (sent.current.text !== text) sent.current = { text, key: crypto.randomUUID() }
    void submitInvoice(address, draft, sent.current.key).then((answer) => {
      setIsSending(false)
      if ('refusal' in answer) setRefusal(answer.refusal)
      else onDone(answer.data.token)
    })
  }

  const change = (id: string, changed: Partial<TypedLine>) =>
    setLines(lines.map((line) => (line.id === id ? { ...line, ...changed } : line)))
  const act = (
    <div className="invoice-act">
      <p className="invoice-total" role="status">
        <span>Total</span>
        <Amount value={total} currency={currency} />
      </p>
      {refusal.message !== '' && !isSending && (
        <Notice kind="error">
          {refusal.code === 'UNREACHABLE'
            ? 'We could not reach the server, and do not know whether it has your invoice. Press again: it is sent only once.'
            : refusal.message}
        </Notice>
      )}
      <Button kind="main" type="submit" aria-disabled={isSending}>
        {isSending ? 'Sending' : 'Send invoice'}
      </Button>
    </div>
  )
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Sheet isWide act={act}>
        <PageHeading above="Send an invoice to">{taker.name}</PageHeading>
        <div className="invoice-pair">
          <Field label="Your name" autoComplete="name" maxLength={200} {...say('fullName')} />
          <Field
            label="Your e-mail"
            type="email"
            autoComplete="email"
            maxLength={254}
            hint="The voucher that pays it is sent here."
            {...say('email')}
          />
        </div>
        <div className="invoice-pair">
          <Field label="Invoice date" type="date" {...say('invoiceDate')} />
          <Field label="Due date" type="date" {...say('dueDate')} />
        </div>
        {taker.currencies.length > 1 && (
          <Choice
            label="Currency"
            value={code}
            options={taker.currencies.map(({ abbreviation, name }) => [abbreviation, `${abbreviation}, ${name}`])}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
        <section aria-labelledby="lines-heading" className="invoice-lines">
          <h2 id="lines-heading">What it is for</h2>
          {lines.map((line, i) => (
            <LineFields
              key={line.id}
              number={i + 1}
              line={line}
              weighed={weighed[i]}
              currency={currency}
              isChecked={isChecked}
              onChange={(changed) => change(line.id, changed)}
              {...(lines.length > 1 && { onRemove: () => setLines(lines.filter(({ id }) => id !== line.id)) })}
            />
          ))}
          {lines.length < linesMax && (
            <Button onClick={() => setLines([...lines, { ...emptyLine(), isNew: true }])}>Add a line</Button>
          )}
        </section>
      </Sheet>
    </form>
  )
}

type Words = {
  readonly fullName: string
  readonly email: string
  readonly invoiceDate: string
  readonly dueDate: string
}

function faultsOf({ fullName, email, invoiceDate, dueDate }: Words): Partial<Record<keyof Words, string>> {
  return {
    ...(fullName.trim() === '' && { fullName: 'Please say who sends it.' }),
    ...(!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) && { email: 'Please write an address such as ivy@example.com.' }),
    ...(invoiceDate === '' && { invoiceDate: 'Please choose a day.' }),
    ...(dueDate < invoiceDate && { dueDate: 'It cannot be due before its own date.' }),
    ...(dueDate === '' && { dueDate: 'Please choose a day.' }),
  }
}

/** A day where the reader is, such as 2031-12-31. */
function dayFrom(days: number): string {
  const at = new Date()
  at.setDate(at.getDate() + days)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
