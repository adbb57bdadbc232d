import { Banknote, CircleEllipsis, CreditCard, Gift, Landmark, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { subtractDecimal } from '../../ui/decimal.ts'
import { readDecimal } from '../../ui/numbers.ts'
import { Field } from '../../ui/field.tsx'
import type { Tender } from '../shell/responses.ts'
import { Money } from '../shell/shop.tsx'
import type { FaultsShown } from '../parts/use-faults.ts'
import { selling } from '../words/selling.ts'
import { isAmountOrZero, isLess } from './amounts.ts'
import { CashNotice } from './cash-notice.tsx'
import { type PaymentInput, priceOf } from './payment.ts'

const icons: Readonly<Record<Tender, LucideIcon>> = {
  cash: Banknote,
  card: CreditCard,
  bank: Landmark,
  other: CircleEllipsis,
  free: Gift,
}

const tenders = Object.keys(icons) as Tender[]

type TenderChoiceProps = {
  readonly label: string
  readonly options?: readonly Tender[]
  readonly tender: Tender
  readonly onChoose: (tender: Tender) => void
}

export function TenderChoice({ label, options = tenders, tender, onChoose }: TenderChoiceProps): ReactNode {
  return (
    <div className="sell-tenders" role="group" aria-label={label}>
      {options.map((each) => {
        const Icon = icons[each]
        return (
          <button key={each} type="button" aria-pressed={each === tender} onClick={() => onChoose(each)}>
            <Icon aria-hidden="true" />
            {selling.tenders[each]}
          </button>
        )
      })}
    </div>
  )
}

type PaymentFieldsProps = {
  readonly payment: PaymentInput
  readonly amount: string
  readonly currency: string
  readonly faults: FaultsShown
  readonly onChange: (payment: PaymentInput) => void
}

/** The tender, what belongs to it, and the change of a cash payment. */
export function PaymentFields({ payment, amount, currency, faults, onChange }: PaymentFieldsProps): ReactNode {
  const { tender, reference, reason, received } = payment
  return (
    <>
      <TenderChoice
        label={selling.sell.payment}
        tender={tender}
        onChoose={(next) => onChange({ ...payment, tender: next })}
      />
      {tender === 'cash' && <CashNotice currency={currency} />}
      {tender === 'cash' && (
        <div className="sell-two">
          <Field
            label={selling.sell.received(currency)}
            hint={selling.sell.receivedHint}
            error={faults.of('received')}
            inputMode="decimal"
            autoComplete="off"
            value={received}
            onChange={(event) => onChange({ ...payment, received: event.target.value })}
          />
          <Change received={readDecimal(received)} price={priceOf(payment, amount)} currency={currency} />
        </div>
      )}
      {(tender === 'card' || tender === 'bank' || tender === 'other') && (
        <Field
          label={selling.sell.reference}
          hint={selling.sell.referenceHints[tender]}
          error={faults.of('reference')}
          autoComplete="off"
          maxLength={120}
          value={reference}
          onChange={(event) => onChange({ ...payment, reference: event.target.value })}
        />
      )}
      {tender === 'free' && (
        <Field
          label={selling.sell.reason}
          hint={selling.sell.reasonHint}
          error={faults.of('reason')}
          autoComplete="off"
          maxLength={500}
          value={reason}
          onChange={(event) => onChange({ ...payment, reason: event.target.value })}
        />
      )}
    </>
  )
}

type ChangeProps = { readonly received: string; readonly price: string; readonly currency: string }

/** What the cashier gives back of the cash, or an empty string if that is not known. */
export function changeOf(received: string, price: string): string {
  const isKnown = isAmountOrZero(received) && isAmountOrZero(price) && !isLess(received, price)
  return isKnown ? subtractDecimal(received, price) : ''
}

function Change({ received, price, currency }: ChangeProps) {
  const change = changeOf(received, price)
  return (
    <p className="sell-change" role="status" data-empty={change === '' || undefined}>
      {change !== '' && (
        <>
          <span>{selling.sell.change}</span>
          <strong>
            <Money value={change} code={currency} />
          </strong>
        </>
      )}
    </p>
  )
}
