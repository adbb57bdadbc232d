import { useRef, useState } from 'react'
import type { Refusal } from '../ui/ask-server.ts'
import { Notice } from '../ui/notice.tsx'
import type { Quote, ShownVoucher } from './answers.ts'
import { act } from './ask-dashboard.ts'
import { Screen } from './frame.tsx'
import { Link } from './place.ts'
import { Receipt, type Sold } from './receipt.tsx'
import { TillAmount, type Wish } from './till-amount.tsx'
import { TillCode } from './till-code.tsx'
import { TillConfirm } from './till-confirm.tsx'
import { TillSales } from './till-sales.tsx'
import { TillTicket } from './till-ticket.tsx'
import './till.css'
import { words } from './words.ts'

type Step =
  | { readonly kind: 'code' }
  | { readonly kind: 'amount'; readonly voucher: ShownVoucher; readonly wish: Wish; readonly refusal: Refusal | null }
  | {
      readonly kind: 'confirm'
      readonly voucher: ShownVoucher
      readonly wish: Wish
      readonly quote: Quote
      readonly isRenewed: boolean
    }
  | { readonly kind: 'receipt'; readonly sold: Sold }

const start: Step = { kind: 'code' }
const noWish: Wish = { amount: '', lockPin: '' }

/** A code, an amount, a price, a receipt. */
export function Till() {
  const [step, setStep] = useState<Step>(start)
  const [isAsking, setIsAsking] = useState(false)
  /** How often something was refused: each time the focus goes to what is to be mended. */
  const [refusals, setRefusals] = useState(0)
  /** An answer for a step that is no longer shown is dropped. */
  const newest = useRef(0)
  const show = (next: Step) => {
    newest.current++
    setIsAsking(false)
    setStep(next)
  }
  const startOver = () => show(start)

  const refuse = (voucher: ShownVoucher, wish: Wish, refusal: Refusal) => {
    setRefusals(refusals + 1)
    show({ kind: 'amount', voucher, wish, refusal })
  }
  const askPrice = async (voucher: ShownVoucher, wish: Wish, isRenewed: boolean) => {
    setIsAsking(true)
    const own = ++newest.current
    const { amount, lockPin } = wish
    const body = { voucherCode: voucher.code, amount, ...(lockPin !== '' && { lockPin }) }
    const answer = await act<{ readonly charges: Quote; readonly voucher: ShownVoucher }>(
      '/merchant-integrations/fetch-voucher-redemption-charges',
      body,
    )
    if (own !== newest.current) return
    if ('refusal' in answer) refuse(voucher, wish, answer.refusal)
    // What is left on it may have changed since it was looked at.
    else show({ kind: 'confirm', voucher: answer.data.voucher, wish, quote: answer.data.charges, isRenewed })
  }

  const acts = (
    <Link className="button" data-kind="quiet" to="/till/switch">
      {words.till.switchCashier}
    </Link>
  )
  return (
    <Screen heading={words.till.heading} acts={acts}>
      <div className="till">
        {step.kind === 'code' && (
          <TillCode onVoucher={(voucher) => show({ kind: 'amount', voucher, wish: noWish, refusal: null })} />
        )}
        {step.kind === 'amount' && (
          <TillTicket voucher={step.voucher} onStartOver={startOver}>
            <TillAmount
              key={refusals}
              voucher={step.voucher}
              initial={step.wish}
              refusal={step.refusal}
              isAsking={isAsking}
              onWish={(wish) => void askPrice(step.voucher, wish, false)}
              onStartOver={startOver}
            />
          </TillTicket>
        )}
        {step.kind === 'confirm' && (
          <TillTicket voucher={step.voucher} onStartOver={startOver}>
            {step.isRenewed && <Notice>{words.till.renewed}</Notice>}
            <TillConfirm
              key={step.quote.quoteId}
              {...step}
              isAsking={isAsking}
              onSold={(sold) => show({ kind: 'receipt', sold })}
              onStale={() => void askPrice(step.voucher, step.wish, true)}
              onRefused={(refusal) => refuse(step.voucher, step.wish, refusal)}
              onChange={() => show({ ...step, kind: 'amount', refusal: null })}
            />
          </TillTicket>
        )}
        {step.kind === 'receipt' && <Receipt key={step.sold.reference} sold={step.sold} onNext={startOver} />}
      </div>
      {step.kind === 'code' && <TillSales onReceipt={(sold) => show({ kind: 'receipt', sold })} />}
    </Screen>
  )
}
