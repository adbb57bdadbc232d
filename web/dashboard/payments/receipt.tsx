import { CircleCheckBig } from 'lucide-react'
import { type ReactNode, type SubmitEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { addDecimals, isZero, subtractDecimal } from '../../ui/decimal.ts'
import { Facts } from '../../ui/facts.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { shortReference } from '../../../server/src/payments/transaction/short-reference.ts'
import type { Journal, Payment, Transaction } from '../shell/responses.ts'
import { act, useKnown } from '../shell/request-dashboard.ts'
import { place } from '../shell/place.ts'
import './receipt.css'
import { Money, When } from '../shell/shop.tsx'
import { SlipHead } from './slip-head.tsx'
import { Status } from '../parts/status.tsx'
import { useEscape } from '../parts/use-escape.ts'
import { describeError, nameOf, words } from '../words/words.ts'

type Deducted = { readonly from: 'voucher' | 'wallet'; readonly amount: string; readonly currency: string }

/** The content of a receipt. */
export type Sold = {
  readonly isRefund: boolean
  readonly amount: string
  /** The fee that was deducted from the voucher. A fee paid by the shop is not on the receipt. */
  readonly fee: string
  readonly currency: string
  readonly reference: string
  readonly at: string
  readonly by: string
  readonly codeTail: string
  /** The voucher's balance after the sale. Empty: unknown. */
  readonly balance: string
  /** PROCESSING while the network of an onchain voucher has not confirmed it. */
  readonly status: string
  /** What was refunded of it since. */
  readonly refunded?: string
  /** What the customer paid in all. Unset: the amount and the fee, from the voucher. Null: not a payment by a customer. */
  readonly deducted?: Deducted | null
}

/** The journals are needed for payments from wallets, which may pay in another currency. */
export function soldOf(payment: Payment, journals: readonly Journal[] = []): Sold {
  const { type, amount, charged, currency, reference, createdAt: at, by, codeTail, status, refunded } = payment
  const fee = subtractDecimal(charged, amount)
  const isRefund = type === 'REFUND'
  const deducted =
    type === 'VOUCHER_REDEMPTION' ? ({ from: 'voucher', amount: charged, currency } as const) : paidByWallet(journals)
  return { isRefund, amount, fee, currency, reference, at, by, codeTail, balance: '', status, refunded, deducted }
}

function paidByWallet(journals: readonly Journal[]): Deducted | null {
  const paid = journals.flatMap(({ transfers }) => transfers).filter(({ from }) => from.kind === 'wallet')
  const [first] = paid
  if (first === undefined) return null
  return { from: 'wallet', amount: addDecimals(paid.map(({ amount }) => amount)), currency: first.currency }
}

function rowsOf(sold: Sold): (readonly [string, ReactNode])[] {
  const { amount, fee, currency, reference, at, by, codeTail, balance, refunded = '' } = sold
  const { deducted = { from: 'voucher', amount: addDecimals([amount, fee]), currency } } = sold
  const rows: (readonly [string, ReactNode])[] = [
    [words.receipt.amount, <Money key="amount" value={amount} code={currency} />],
  ]
  if (!isZero(fee)) rows.push([words.receipt.fee, <Money key="fee" value={fee} code={currency} />])
  if (deducted !== null && !sold.isRefund)
    rows.push([
      words.receipt.deductedFrom[deducted.from],
      <Money key="deducted" value={deducted.amount} code={deducted.currency} />,
    ])
  if (!isZero(refunded))
    rows.push([words.payment.refundedSoFar, <Money key="refunded" value={refunded} code={currency} />])
  if (codeTail !== '') rows.push([words.receipt.voucher, <code key="code">··{codeTail}</code>])
  if (balance !== '') rows.push([words.receipt.remaining, <Money key="balance" value={balance} code={currency} />])
  rows.push([words.receipt.date, <When key="date" at={at} form="receipt" />])
  if (by !== '') rows.push([words.receipt.by, by])
  rows.push([
    words.receipt.reference,
    <code key="reference" title={reference}>
      {shortReference(reference)}
    </code>,
  ])
  return rows
}

/** The receipt as it is printed. */
export function Slip({ sold }: { readonly sold: Sold }): ReactNode {
  const { amount, currency, reference } = sold
  return (
    <div className="slip printed">
      <SlipHead />
      {sold.isRefund && <p>{words.types.REFUND}</p>}
      {isRefunded(sold) && <p>{nameOf(words.statuses, sold.status)}</p>}
      {isUnpaid(sold.status) && <p className="slip-test">{words.receipt.unpaid}</p>}
      {place?.mode === 'test' && <p className="slip-test">{words.receipt.test}</p>}
      <div className="slip-amount">
        <Money value={amount} code={currency} size="large" />
      </div>
      <Facts rows={rowsOf(sold)} />
      {shortReference(reference) !== reference && (
        <p className="slip-small">
          {words.receipt.fullReference}
          {words.colon} {reference}
        </p>
      )}
    </div>
  )
}

type ReceiptProps = { readonly sold: Sold; readonly onNext: () => void }

/** Whether the money of a sale has not arrived, yet or for good. */
function isUnpaid(status: string): boolean {
  return status === 'PROCESSING' || status === 'FAILED'
}

function isRefunded({ status }: Sold): boolean {
  return status === 'REFUNDED' || status === 'PARTIALLY_REFUNDED'
}

/** The end of a sale: the receipt, and the button for the next customer. */
export function Receipt(props: ReceiptProps): ReactNode {
  return isUnpaid(props.sold.status) ? <FollowedReceipt {...props} /> : <PaidReceipt {...props} />
}

/** A sale with an onchain voucher is paid when its network has confirmed it. The screen follows that. */
function FollowedReceipt({ sold, onNext }: ReceiptProps) {
  const path = `/merchant-integrations-server/verify-transaction/${encodeURIComponent(sold.reference)}`
  const status = useKnown<Transaction>(path).data?.status ?? sold.status
  if (!isUnpaid(status)) return <PaidReceipt sold={{ ...sold, status }} onNext={onNext} />
  return <UnpaidReceipt sold={{ ...sold, status }} onNext={onNext} />
}

function UnpaidReceipt({ sold, onNext }: ReceiptProps) {
  useEscape(onNext)
  const isFailed = sold.status === 'FAILED'
  return (
    <div className="receipt">
      <p className="receipt-wait" role="status" data-failed={isFailed || undefined}>
        <Status of={sold.status} names={words.receipt.unpaidStates} />
      </p>
      <Notice kind="error">{isFailed ? words.receipt.failedLead : words.receipt.processingLead}</Notice>
      {/* A receipt of a sale that failed would say something untrue. */}
      {!isFailed && <Slip sold={sold} />}
      <div className="acts">
        <Button kind={isFailed ? 'main' : 'quiet'} onClick={onNext}>
          {isFailed ? words.till.startOver : words.receipt.next}
        </Button>
      </div>
    </div>
  )
}

function PaidReceipt({ sold, onNext }: ReceiptProps) {
  useEscape(onNext)
  return (
    <div className="receipt">
      <p className="receipt-done" role="status">
        <CircleCheckBig aria-hidden="true" />
        {sold.isRefund
          ? words.payment.refunded
          : isRefunded(sold)
            ? nameOf(words.statuses, sold.status)
            : words.receipt.done}
      </p>
      <Slip sold={sold} />
      <div className="acts">
        <Button kind="main" autoFocus onClick={onNext}>
          {words.receipt.next}
        </Button>
        <Button onClick={() => print()}>{words.print}</Button>
      </div>
      <EmailReceipt reference={sold.reference} />
    </div>
  )
}

export function EmailReceipt({ reference }: { readonly reference: string }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const [email, setEmail] = useState('')
  const { tell, shown } = useOutcome(describeError)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const to = email.trim()
    if (to === '') return
    const path = `/merchant-integrations-server/transactions/${encodeURIComponent(reference)}/receipt`
    void act(path, { email: to }).then((response) => {
      tell(response, words.receipt.emailed(to))
      if (!('refusal' in response)) setEmail('')
    })
  }
  if (!isOpen)
    return (
      <div className="acts">
        <Button onClick={() => setIsOpen(true)}>{words.receipt.email}</Button>
      </div>
    )
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <Field
        label={words.receipt.emailTo}
        type="email"
        autoComplete="off"
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      {shown}
      <div className="acts">
        <Button type="submit">{words.receipt.emailAct}</Button>
      </div>
    </form>
  )
}
