import { type ReactNode, useState } from 'react'
import { Choice } from '../ui/choice.tsx'
import { isZero } from '../ui/decimal.ts'
import { groupDecimal, readDecimal } from '../ui/numbers.ts'
import { Field } from '../ui/field.tsx'
import type { Refusal } from '../ui/send-request.ts'
import type { Held } from './request-wallet.ts'
import { Money } from './money.tsx'
import { isAboutAmount, useShownRefusal } from './use-shown-refusal.ts'
import { describeError, words } from './words.ts'

type AmountInput = {
  readonly typed: string
  readonly amount: string
  readonly error: string
  /** Returns the amount that was typed. */
  readonly onType: (typed: string) => string
  /** For a change that makes an earlier refusal of the amount meaningless. */
  readonly forget: () => void
  /** Returns whether an amount was entered, and marks the field if not. */
  readonly check: () => boolean
}

/** An amount as typed, with the error at its field: of the last check, or of the server until the user changes it. */
export function useAmountInput(refusal: Refusal | null, first = ''): AmountInput {
  const [typed, setTyped] = useState(first)
  const [isMissing, setIsMissing] = useState(false)
  const [shown, hide] = useShownRefusal(refusal)
  const amount = readDecimal(typed)
  const forget = () => {
    setIsMissing(false)
    hide()
  }
  return {
    typed,
    amount,
    error: isMissing
      ? words.amountMissing(groupDecimal('12.50'))
      : shown !== null && isAboutAmount(shown)
        ? describeError(shown)
        : '',
    onType: (text) => {
      setTyped(text)
      forget()
      return readDecimal(text)
    },
    forget,
    check: () => {
      const isAmount = /^\d+(\.\d+)?$/.test(amount) && !isZero(amount)
      setIsMissing(!isAmount)
      return isAmount
    },
  }
}

type AmountFields = Pick<AmountInput, 'amount' | 'check'> & { readonly currency: string; readonly fields: ReactNode }

/** The fields for an amount in one of the user's currencies, and what the user entered. */
export function useAmount(held: readonly Held[], refusal: Refusal | null): AmountFields {
  const { typed, amount, error, onType, forget, check } = useAmountInput(refusal)
  const [code, setCode] = useState('')
  const currency = code === '' ? (held[0]?.currency ?? '') : code
  const chosen = held.find((each) => each.currency === currency)
  const choose = (chosenCode: string) => {
    setCode(chosenCode)
    forget()
  }
  const fields = (
    <div className="wallet-amount">
      <Field
        label={words.amount}
        inputMode="decimal"
        autoComplete="off"
        value={typed}
        error={error}
        onChange={(event) => onType(event.target.value)}
      />
      <Choice
        label={words.currency}
        value={currency}
        onChange={(event) => choose(event.target.value)}
        options={held.map((each) => [each.currency, each.currency])}
      />
      {chosen !== undefined && (
        <p className="soft">
          {words.balance} <Money value={chosen.available} code={chosen.currency} />
        </p>
      )}
    </div>
  )
  return { amount, currency, fields, check }
}
