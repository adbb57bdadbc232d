import { type ReactNode, useState } from 'react'
import { Choice } from '../ui/choice.tsx'
import { readDecimal } from '../ui/decimal.ts'
import { Field } from '../ui/field.tsx'
import type { Held } from './request-wallet.ts'
import { Money } from './parts.tsx'
import { words } from './words.ts'

type AmountFields = { readonly amount: string; readonly currency: string; readonly fields: ReactNode }

/** The fields for an amount in one of the user's currencies, and what the user entered. */
export function useAmount(held: readonly Held[]): AmountFields {
  const [amount, setAmount] = useState('')
  const [code, setCode] = useState('')
  const currency = code === '' ? (held[0]?.currency ?? '') : code
  const chosen = held.find((each) => each.currency === currency)
  const fields = (
    <div className="wallet-amount">
      <Field
        label={words.amount}
        inputMode="decimal"
        autoComplete="off"
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
      />
      <Choice
        label={words.currency}
        value={currency}
        onChange={(event) => setCode(event.target.value)}
        options={held.map((each) => [each.currency, each.currency])}
      />
      {chosen !== undefined && (
        <p className="soft">
          {words.home.heading}: <Money value={chosen.available} code={chosen.currency} />
        </p>
      )}
    </div>
  )
  return { amount: readDecimal(amount), currency, fields }
}
