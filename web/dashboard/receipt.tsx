import { type ReactNode, type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { isZero, subtractDecimal } from '../ui/decimal.ts'
import { Facts } from '../ui/facts.tsx'
import { Field } from '../ui/field.tsx'
import { useSaid } from '../ui/use-said.tsx'
import type { Payment } from './answers.ts'
import { act } from './ask-dashboard.ts'
import { place } from './place.ts'
import './receipt.css'
import { Figures, Money, useShop, When } from './shop.tsx'
import { useEscape } from './use-escape.ts'
import { sayRefusal, words } from './words.ts'

/** What a receipt says. */
export type Sold = {
  readonly isRefund: boolean
  readonly amount: string
  /** What the voucher bore on top. What the shop bears is none of the customer's business. */
  readonly charge: string
  readonly currency: string
  readonly reference: string
  readonly at: string
  readonly by: string
  readonly codeTail: string
  /** On the voucher, as far as it is known. */
  readonly left: string
}

export function soldOf({ type, amount, charged, currency, reference, createdAt, by, codeTail }: Payment): Sold {
  const charge = subtractDecimal(charged, amount)
  const isRefund = type === 'REFUND'
  return { isRefund, amount, charge, currency, reference, at: createdAt, by, codeTail, left: '' }
}

/** The slip alone, which is also what is printed. */
export function Slip({ sold }: { readonly sold: Sold }) {
  const { merchant } = useShop()
  const { amount, charge, currency, reference, at, by, codeTail, left } = sold
  const rows: (readonly [string, ReactNode])[] = [
    [words.receipt.amount, <Figures key="amount" value={amount} code={currency} />],
  ]
  if (!isZero(charge)) rows.push([words.receipt.charges, <Figures key="charge" value={charge} code={currency} />])
  if (codeTail !== '') rows.push([words.receipt.voucher, <code key="code">··{codeTail}</code>])
  if (left !== '') rows.push([words.receipt.left, <Figures key="left" value={left} code={currency} />])
  rows.push([words.receipt.time, <When key="time" at={at} />])
  if (by !== '') rows.push([words.receipt.by, by])
  rows.push([words.receipt.reference, <code key="reference">{reference}</code>])
  return (
    <div className="slip printed">
      <p className="slip-shop">{merchant.name}</p>
      {sold.isRefund && <p>{words.types.REFUND}</p>}
      {place?.mode === 'test' && <p className="slip-test">{words.receipt.test}</p>}
      <div className="slip-amount">
        <Money value={amount} code={currency} size="large" />
      </div>
      <Facts rows={rows} />
    </div>
  )
}

type ReceiptProps = { readonly sold: Sold; readonly onNext: () => void }

/** It is done: for the customer, and on to the next one. */
export function Receipt({ sold, onNext }: ReceiptProps) {
  useEscape(onNext)
  return (
    <div className="receipt">
      <p className="receipt-done" role="status">
        <svg viewBox="0 0 48 48" width="32" height="32" aria-hidden="true">
          <path d="M8 25l11 11 21-24" />
        </svg>
        {sold.isRefund ? words.payment.refunded : words.receipt.done}
      </p>
      <Slip sold={sold} />
      <div className="acts">
        <Button kind="main" autoFocus onClick={onNext}>
          {words.receipt.next}
        </Button>
        <Button onClick={() => print()}>{words.print}</Button>
      </div>
      <MailReceipt reference={sold.reference} />
    </div>
  )
}

export function MailReceipt({ reference }: { readonly reference: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const [email, setEmail] = useState('')
  const { tell, shown } = useSaid(sayRefusal)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const to = email.trim()
    if (to === '') return
    const path = `/merchant-integrations-server/transactions/${encodeURIComponent(reference)}/receipt`
    void act(path, { email: to }).then((answer) => {
      tell(answer, words.receipt.mailed(to))
      if (!('refusal' in answer)) setEmail('')
    })
  }
  if (!isOpen)
    return (
      <div className="acts">
        <Button onClick={() => setIsOpen(true)}>{words.receipt.mail}</Button>
      </div>
    )
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <Field
        label={words.receipt.mailTo}
        type="email"
        autoComplete="off"
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      {shown}
      <div className="acts">
        <Button type="submit">{words.receipt.mailAct}</Button>
      </div>
    </form>
  )
}
