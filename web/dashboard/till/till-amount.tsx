import { type ReactNode, type SubmitEvent, useState } from 'react'
import type { Refusal } from '../../ui/send-request.ts'
import { Button } from '../../ui/button.tsx'
import { isZero, subtractDecimal } from '../../ui/decimal.ts'
import { decimalMark, groupDecimal, readDecimal } from '../../ui/numbers.ts'
import { Keypad } from '../../ui/keypad.tsx'
import { Field, focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useMark } from '../../ui/use-mark.ts'
import type { ShownVoucher } from '../shell/responses.ts'
import { formatMoney } from '../shell/shop.tsx'
import { useEscape } from '../parts/use-escape.ts'
import { describeError, words } from '../words/words.ts'
import { type Purchase, RuleFields } from './till-rules.tsx'
import { voucherPinLength as pinLength, VoucherPin } from './voucher-pin.tsx'

/** The amount to charge, or "max" for the full balance, the PIN of a locked voucher, and what its rules ask. */
export type SaleInput = { readonly amount: string; readonly lockPin: string; readonly purchase: Purchase }

type TillAmountProps = {
  readonly voucher: ShownVoucher
  readonly initial: SaleInput
  readonly refusal: Refusal | null
  /** Whether the price is being fetched. */
  readonly isPricing: boolean
  readonly onInput: (input: SaleInput) => void
  readonly onStartOver: () => void
}

export function TillAmount({ voucher, initial, refusal, isPricing, onInput, onStartOver }: TillAmountProps): ReactNode {
  const sale = useSaleInput(voucher, initial, refusal)
  const { amount, lockPin, purchase } = sale
  useEscape(onStartOver)
  const { abbrev } = voucher.generatedCurrency
  const enter = (entered: string): void => {
    if (sale.enter(entered) && !isPricing) onInput({ amount: entered, lockPin, purchase })
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    enter(amount === 'max' ? amount : readDecimal(amount))
    focusFirstInvalid(event.currentTarget)
  }
  return (
    <form className="till-form" noValidate onSubmit={submit}>
      <AmountField
        currency={abbrev}
        amount={amount}
        isFocused={!isAboutPin(refusal)}
        isInvalid={sale.isInvalid}
        onChange={sale.changeAmount}
      />
      <QuickAmounts
        balance={voucher.balance}
        currency={abbrev}
        isFull={amount === 'max'}
        onAmount={sale.changeAmount}
        onFull={() => enter('max')}
      />
      <Keypad
        label={words.till.keypad}
        extraKey={decimalMark}
        deleteLabel={words.till.deleteKey}
        onKey={(key) => sale.changeAmount(amount === 'max' ? key : `${amount}${key}`)}
        onDelete={() => sale.changeAmount(amount === 'max' ? '' : amount.slice(0, -1))}
      />
      <RuleFields voucher={voucher} purchase={purchase} onPurchase={sale.changePurchase} />
      {voucher.isLocked && (
        <VoucherPin
          amount={amount}
          currency={abbrev}
          isFocused={isAboutPin(refusal)}
          pin={lockPin}
          error={sale.isPinMissing ? words.till.pinMissing : ''}
          onPin={sale.changePin}
        />
      )}
      {refusal !== null && !isPricing && !sale.isChanged && (
        <SaleRefusal refusal={refusal} currency={abbrev} onAmount={enter} />
      )}
      <div className="till-main">
        <Button kind="main" size="xl" isWide type="submit" aria-disabled={isPricing}>
          {isPricing ? words.oneMoment : words.till.continue}
        </Button>
        <p className="soft till-keys">{words.till.keys}</p>
      </div>
    </form>
  )
}

type QuickAmountsProps = {
  readonly balance: string
  readonly currency: string
  readonly isFull: boolean
  readonly onAmount: (amount: string) => void
  readonly onFull: () => void
}

function QuickAmounts({ balance, currency, isFull, onAmount, onFull }: QuickAmountsProps) {
  return (
    <div className="till-quick">
      {quickAmounts(balance).map((each) => (
        <Button key={each} kind="tint" size="l" onClick={() => onAmount(each)}>
          {formatMoney(each, currency)}
        </Button>
      ))}
      <Button kind="tint" size="l" aria-pressed={isFull} onClick={onFull}>
        {words.till.fullBalance}
      </Button>
    </div>
  )
}

const usual = ['5', '10', '20', '50', '100']
const quickMax = 3

/** Usual amounts that the voucher covers. */
function quickAmounts(balance: string): readonly string[] {
  return usual.filter((each) => !subtractDecimal(balance, each).startsWith('-')).slice(0, quickMax)
}

type EnteredSale = SaleInput & {
  readonly isInvalid: boolean
  readonly isPinMissing: boolean
  /** Whether the user changed something, so that the last refusal is of the past. */
  readonly isChanged: boolean
  readonly changeAmount: (typed: string) => void
  readonly changePin: (digits: string) => void
  readonly changePurchase: (purchase: Purchase) => void
  /** Returns whether the sale can be priced, and marks the fields that are missing. */
  readonly enter: (amount: string) => boolean
}

function useSaleInput(voucher: ShownVoucher, initial: SaleInput, refusal: Refusal | null): EnteredSale {
  const [amount, setAmount] = useState(initial.amount)
  const [lockPin, setLockPin] = useState(isAboutPin(refusal) ? '' : initial.lockPin)
  const [purchase, setPurchase] = useState(initial.purchase)
  const [isInvalid, setIsInvalid] = useState(false)
  const [isChanged, setIsChanged] = useState(false)
  const pinMark = useMark(!voucher.isLocked || lockPin.length === pinLength)
  return {
    amount,
    lockPin,
    purchase,
    isInvalid,
    isPinMissing: pinMark.isMarked,
    isChanged,
    changeAmount: (typed) => {
      setIsInvalid(false)
      setIsChanged(true)
      setAmount(typed)
    },
    changePin: (digits) => {
      setIsChanged(true)
      setLockPin(digits)
    },
    changePurchase: (entered) => {
      setIsChanged(true)
      setPurchase(entered)
    },
    enter: (entered) => {
      setAmount(entered)
      const isAmount = entered === 'max' || /^\d+(\.\d+)?$/.test(entered)
      setIsInvalid(!isAmount)
      return pinMark.check() && isAmount
    },
  }
}

type AmountFieldProps = {
  readonly currency: string
  readonly amount: string
  readonly isFocused: boolean
  readonly isInvalid: boolean
  readonly onChange: (typed: string) => void
}

// The keypad on the page replaces the keyboard of a touch screen.
const hasFingers = matchMedia('(pointer: coarse)')

/** The one dominant number. Shows words instead of "max", which typing replaces. */
function AmountField({ currency, amount, isFocused, isInvalid, onChange }: AmountFieldProps) {
  const isFull = amount === 'max'
  return (
    <div className="till-amount">
      <Field
        label={words.amountIn(currency)}
        inputMode={hasFingers.matches ? 'none' : 'decimal'}
        autoComplete="off"
        autoFocus={isFocused}
        enterKeyHint="next"
        placeholder={groupDecimal('0.00')}
        value={isFull ? words.till.fullBalance : amount}
        error={isInvalid ? words.refusals.AMOUNT_INVALID : ''}
        onFocus={(event) => event.target.select()}
        onChange={({ target: { value } }) => onChange(isFull ? value.replace(words.till.fullBalance, '') : value)}
      />
    </div>
  )
}

type SaleRefusalProps = {
  readonly refusal: Refusal
  readonly currency: string
  readonly onAmount: (amount: string) => void
}

/** The refusal, with the largest amount that the voucher covers. */
function SaleRefusal({ refusal, currency, onAmount }: SaleRefusalProps) {
  const { maxAmount } = refusal
  return (
    <Notice kind="error">
      <p>{describeError(refusal)}</p>
      {maxAmount !== undefined && !isZero(maxAmount) && (
        <Button onClick={() => onAmount(maxAmount)}>{words.till.chargeMost(formatMoney(maxAmount, currency))}</Button>
      )}
    </Notice>
  )
}

function isAboutPin(refusal: Refusal | null): boolean {
  return refusal?.code.startsWith('VOUCHER_PIN') ?? false
}
