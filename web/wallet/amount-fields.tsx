import { Choice } from '../ui/choice.tsx'
import { Field } from '../ui/field.tsx'
import type { Held } from './ask-wallet.ts'
import { Money } from './parts.tsx'
import { words } from './words.ts'

type AmountFieldsProps = {
  readonly held: readonly Held[]
  readonly amount: string
  readonly currency: string
  readonly onAmount: (amount: string) => void
  readonly onCurrency: (currency: string) => void
}

/** An amount of something that the person has. */
export function AmountFields({ held, amount, currency, onAmount, onCurrency }: AmountFieldsProps) {
  const chosen = held.find((each) => each.currency === currency)
  return (
    <div className="wallet-amount">
      <Field
        label={words.amount}
        inputMode="decimal"
        autoComplete="off"
        value={amount}
        onChange={(event) => onAmount(event.target.value)}
      />
      <Choice
        label={words.currency}
        value={currency}
        onChange={(event) => onCurrency(event.target.value)}
        options={held.map((each) => [each.currency, each.currency])}
      />
      {chosen !== undefined && (
        <p className="wallet-soft">
          {words.home.heading}: <Money value={chosen.available} code={chosen.currency} />
        </p>
      )}
    </div>
  )
}
