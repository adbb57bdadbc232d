import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import type { Refusal } from '../../ui/send-request.ts'
import { HandCoins, ShoppingBag } from 'lucide-react'
import { Avatar } from '../../ui/avatar.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { Priced, Quote, ShownVoucher } from '../shell/responses.ts'
import { act } from '../shell/request-dashboard.ts'
import { type Card, CodeForm } from '../parts/code-form.tsx'
import { Screen } from '../shell/frame.tsx'
import { Link } from '../shell/place.ts'
import { useShop } from '../shell/shop.tsx'
import { Receipt, type Sold } from '../payments/receipt.tsx'
import type { Done } from '../sell/sell-form.tsx'
import { TillAmount, type SaleInput } from './till-amount.tsx'
import { TillConfirm } from './till-confirm.tsx'
import { noPurchase, redemptionOf } from './till-rules.tsx'
import { TillSales } from './till-sales.tsx'
import { TillTicket } from './till-ticket.tsx'
import './till.css'
import { words } from '../words/words.ts'

// Selling is loaded when a card is scanned, or a voucher that the shop has sold.
const SellForm = lazy(async () => ({ default: (await import('../sell/sell-form.tsx')).SellForm }))
const SoldReceipt = lazy(async () => ({ default: (await import('../sell/sold.tsx')).Sold }))
const StoreActs = lazy(async () => ({ default: (await import('../sell/store-acts.tsx')).StoreActs }))

type Step =
  | { readonly kind: 'code' }
  | {
      readonly kind: 'amount'
      readonly voucher: ShownVoucher
      readonly input: SaleInput
      readonly refusal: Refusal | null
    }
  | {
      readonly kind: 'confirm'
      readonly voucher: ShownVoucher
      readonly input: SaleInput
      readonly quote: Quote
      readonly isRenewed: boolean
    }
  | { readonly kind: 'receipt'; readonly sold: Sold }
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'sold'; readonly done: Done }

const firstStep: Step = { kind: 'code' }
const noInput: SaleInput = { amount: '', lockPin: '', purchase: noPurchase }

/** A sale: the code, the amount, the price, the receipt. */
export function Till(): ReactNode {
  const sale = useSale()
  const { step, show } = sale
  const { person } = useShop()
  const acts = (
    <>
      <Link className="button" data-kind="quiet" to="/sell">
        <ShoppingBag aria-hidden="true" />
        {words.till.sell}
      </Link>
      <Link className="button" data-kind="quiet" to="/requests/new">
        <HandCoins aria-hidden="true" />
        {words.till.request}
      </Link>
      <Link className="button" data-kind="quiet" to="/till/switch">
        <Avatar name={person.fullName} size="s" />
        {words.till.switchCashier}
      </Link>
    </>
  )
  return (
    <Screen heading={words.till.heading} lead={person.fullName} acts={acts}>
      <Suspense fallback={<Skeleton shape="amount" />}>
        <SaleStep sale={sale} />
      </Suspense>
      {step.kind === 'code' && <TillSales onReceipt={(sold) => show({ kind: 'receipt', sold })} />}
    </Screen>
  )
}

type Sale = {
  readonly step: Step
  readonly isPricing: boolean
  /** Counts refusals. The amount form is mounted again with each one, which focuses the field to correct. */
  readonly refusals: number
  readonly show: (step: Step) => void
  readonly refuse: (voucher: ShownVoucher, input: SaleInput, refusal: Refusal) => void
  readonly fetchPrice: (voucher: ShownVoucher, input: SaleInput, isRenewed: boolean) => Promise<void>
}

function useSale(): Sale {
  const [step, setStep] = useState<Step>(firstStep)
  const [isPricing, setIsPricing] = useState(false)
  const [refusals, setRefusals] = useState(0)
  /** A response for a step that is no longer shown is dropped. */
  const newest = useRef(0)
  const show = (next: Step) => {
    newest.current++
    setIsPricing(false)
    setStep(next)
  }
  const refuse: Sale['refuse'] = (voucher, input, refusal) => {
    setRefusals(refusals + 1)
    show({ kind: 'amount', voucher, input, refusal })
  }
  const fetchPrice: Sale['fetchPrice'] = async (voucher, input, isRenewed) => {
    setIsPricing(true)
    const own = ++newest.current
    const response = await act<Priced>(
      '/merchant-integrations/fetch-voucher-redemption-charges',
      redemptionOf(voucher, input),
    )
    if (own !== newest.current) return
    if ('refusal' in response && response.refusal.code === 'SESSION_MISSING') setIsPricing(false)
    else if ('refusal' in response) refuse(voucher, input, response.refusal)
    // The voucher comes from the response, because its balance may have changed.
    else show({ kind: 'confirm', voucher: response.data.voucher, input, quote: response.data.charges, isRenewed })
  }
  return { step, isPricing, refusals, show, refuse, fetchPrice }
}

function SaleStep({ sale: { step, isPricing, refusals, show, refuse, fetchPrice } }: { readonly sale: Sale }) {
  const startOver = () => show(firstStep)
  switch (step.kind) {
    case 'code':
      return (
        <CodeForm
          onVoucher={(voucher) => show({ kind: 'amount', voucher, input: noInput, refusal: null })}
          onCard={(card) => show({ kind: 'card', card })}
        />
      )
    case 'amount':
      return (
        <TillTicket
          key={step.kind}
          voucher={step.voucher}
          acts={<Acts voucher={step.voucher} onDone={(done) => show({ kind: 'sold', done })} />}
          onStartOver={startOver}
        >
          <TillAmount
            key={refusals}
            voucher={step.voucher}
            initial={step.input}
            refusal={step.refusal}
            isPricing={isPricing}
            onInput={(input) => void fetchPrice(step.voucher, input, false)}
            onStartOver={startOver}
          />
        </TillTicket>
      )
    case 'confirm':
      return (
        <TillTicket key={step.kind} voucher={step.voucher} quote={step.quote} onStartOver={startOver}>
          {step.isRenewed && <Notice kind="wait">{words.till.renewed}</Notice>}
          <TillConfirm
            key={step.quote.quoteId}
            {...step}
            isPricing={isPricing}
            onSold={(sold) => show({ kind: 'receipt', sold })}
            onStale={() => void fetchPrice(step.voucher, step.input, true)}
            onRefused={(refusal) => refuse(step.voucher, step.input, refusal)}
            onChange={() => show({ ...step, kind: 'amount', refusal: null })}
          />
        </TillTicket>
      )
    case 'receipt':
      return <Receipt key={step.sold.reference} sold={step.sold} onNext={startOver} />
    case 'card':
      return <SellForm card={step.card} onSold={(done) => show({ kind: 'sold', done })} onOtherCard={startOver} />
    case 'sold':
      return <SoldReceipt done={step.done} onNext={startOver} />
  }
}

type ActsProps = { readonly voucher: ShownVoucher; readonly onDone: (done: Done) => void }

/** Only a voucher that the shop has sold can be reloaded, undone or paid back. */
function Acts({ voucher, onDone }: ActsProps) {
  if (voucher.voucherType !== 'store' || voucher.state !== 'open') return null
  return (
    <Suspense fallback={null}>
      <StoreActs voucher={voucher} onDone={onDone} />
    </Suspense>
  )
}
