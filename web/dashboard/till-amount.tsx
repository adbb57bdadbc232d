import { type SubmitEvent, useState } from 'react'
import type { Refusal } from '../ui/ask-server.ts'
import { Button } from '../ui/button.tsx'
import { readDecimal } from '../ui/decimal.ts'
import { DigitsField } from '../ui/digits-field.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { ShownVoucher } from './answers.ts'
import { sayMoney } from './shop.tsx'
import { useEscape } from './use-escape.ts'
import { sayRefusal, words } from './words.ts'

/** What is to be taken: an amount or "max", and the pin of a locked voucher. */
export type Wish = { readonly amount: string; readonly lockPin: string }

type TillAmountProps = {
  readonly voucher: ShownVoucher
  readonly initial: Wish
  readonly refusal: Refusal | null
  readonly isAsking: boolean
  readonly onWish: (wish: Wish) => void
  readonly onStartOver: () => void
}

const pinLength = 4

export function TillAmount({ voucher, initial, refusal, isAsking, onWish, onStartOver }: TillAmountProps) {
  const [amount, setAmount] = useState(initial.amount)
  const [lockPin, setLockPin] = useState(isAboutPin(refusal) ? '' : initial.lockPin)
  const [isMissing, setIsMissing] = useState(false)
  useEscape(onStartOver)
  const needsPin = voucher.isLocked && lockPin.length < pinLength

  const wish = (wanted: string) => {
    setAmount(wanted)
    const isAmount = wanted === 'max' || /^\d+(\.\d+)?$/.test(wanted)
    setIsMissing(!isAmount)
    if (isAmount && !needsPin && !isAsking) onWish({ amount: wanted, lockPin })
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    wish(amount === 'max' ? amount : readDecimal(amount))
  }
  const most = refusal?.maxAmount
  const { abbrev } = voucher.generatedCurrency
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <div className="till-amount">
        <Field
          label={`${words.amount} (${abbrev})`}
          inputMode="decimal"
          autoComplete="off"
          autoFocus={!isAboutPin(refusal)}
          enterKeyHint="next"
          value={amount === 'max' ? words.till.allOfIt : amount}
          error={isMissing ? words.refusals.AMOUNT_INVALID : ''}
          onFocus={(event) => event.target.select()}
          onChange={(event) => {
            setIsMissing(false)
            setAmount(amount === 'max' ? event.target.value.replace(words.till.allOfIt, '') : event.target.value)
          }}
        />
        <Button aria-pressed={amount === 'max'} onClick={() => wish('max')}>
          {words.till.all}
        </Button>
      </div>
      {voucher.isLocked && (
        <DigitsField
          label={words.till.pin}
          hint={words.till.pinHint}
          length={pinLength}
          autoFocus={isAboutPin(refusal)}
          value={lockPin}
          onDigits={setLockPin}
        />
      )}
      {refusal !== null && !isAsking && (
        <Notice kind="error">
          <p>{sayRefusal(refusal)}</p>
          {most !== undefined && !/^[0.]*$/.test(most) && (
            <Button onClick={() => wish(most)}>{words.till.useMost(sayMoney(most, abbrev))}</Button>
          )}
        </Notice>
      )}
      <div className="acts">
        <Button kind="main" type="submit" aria-disabled={isAsking || needsPin}>
          {isAsking ? words.oneMoment : words.till.price}
        </Button>
        <Button kind="bare" onClick={onStartOver}>
          {words.till.startOver}
        </Button>
      </div>
      <p className="soft till-keys">{words.till.keys}</p>
    </form>
  )
}

function isAboutPin(refusal: Refusal | null): boolean {
  return refusal?.code.startsWith('VOUCHER_PIN') ?? false
}
