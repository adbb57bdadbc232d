import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Keypad } from '../../ui/keypad.tsx'
import { decimalMark, groupDecimal, readDecimal } from '../../ui/numbers.ts'
import { CurrencyChoice } from '../parts/currency-choice.tsx'
import type { FaultsShown } from '../parts/use-faults.ts'
import { formatMoney } from '../shell/shop.tsx'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'
import type { PaymentInput } from './payment.ts'

const usual = ['25', '50', '75', '100', '150']

// On a phone, the keypad on the page replaces the keyboard of the device.
const hasKeypad = matchMedia('(pointer: coarse) and (max-width: 47.99rem)')

type AmountFieldsProps = {
  readonly amount: string
  readonly currency: string
  readonly isCurrencyFixed: boolean
  readonly payment: PaymentInput
  readonly faults: FaultsShown
  readonly onAmount: (amount: string) => void
  readonly onCurrency: (currency: string) => void
  readonly onPayment: (payment: PaymentInput) => void
}

/** The value, by usual amounts, by keys or typed, and a lower price for a promotion. */
export function AmountFields(props: AmountFieldsProps): ReactNode {
  const { amount, currency, isCurrencyFixed, payment, faults, onAmount, onPayment } = props
  return (
    <>
      <QuickAmounts amount={amount} currency={currency} onAmount={onAmount} />
      <div className="sell-amount">
        <Field
          label={words.amountIn(currency)}
          inputMode={hasKeypad.matches ? 'none' : 'decimal'}
          autoComplete="off"
          autoFocus
          placeholder={groupDecimal('0.00')}
          value={amount}
          error={faults.of('amount')}
          onChange={(event) => onAmount(event.target.value)}
        />
        {!isCurrencyFixed && <CurrencyChoice value={currency} onChange={props.onCurrency} />}
      </div>
      <div className="sell-keys">
        <Keypad
          label={words.till.keypad}
          extraKey={decimalMark}
          deleteLabel={words.till.deleteKey}
          onKey={(key) => onAmount(`${amount}${key}`)}
          onDelete={() => onAmount(amount.slice(0, -1))}
        />
      </div>
      <PriceField currency={currency} payment={payment} faults={faults} onPayment={onPayment} />
    </>
  )
}

type QuickAmountsProps = Pick<AmountFieldsProps, 'amount' | 'currency' | 'onAmount'>

function QuickAmounts({ amount, currency, onAmount }: QuickAmountsProps) {
  return (
    <div className="sell-quick">
      {usual.map((each) => (
        <Button
          key={each}
          kind="tint"
          size="l"
          aria-pressed={readDecimal(amount).replace(/\.0*$/, '') === each}
          onClick={() => onAmount(each)}
        >
          {formatMoney(each, currency)}
        </Button>
      ))}
    </div>
  )
}

type PriceFieldProps = Pick<AmountFieldsProps, 'currency' | 'payment' | 'faults' | 'onPayment'>

/** For a promotion, such as 60 for 50. */
export function PriceField({ currency, payment, faults, onPayment }: PriceFieldProps): ReactNode {
  if (payment.tender === 'free') return null
  if (payment.price === undefined)
    return (
      <div className="acts sell-lower">
        <Button kind="bare" size="s" onClick={() => onPayment({ ...payment, price: '' })}>
          {selling.sell.lowerPrice}
        </Button>
      </div>
    )
  return (
    <div className="sell-two">
      <Field
        label={selling.sell.price(currency)}
        hint={selling.sell.priceHint}
        error={faults.of('price')}
        inputMode="decimal"
        autoComplete="off"
        autoFocus
        value={payment.price}
        onChange={(event) => onPayment({ ...payment, price: event.target.value })}
      />
      <div className="acts sell-full-price">
        <Button kind="bare" size="s" onClick={() => onPayment({ ...payment, price: undefined })}>
          {selling.sell.fullPrice}
        </Button>
      </div>
    </div>
  )
}
