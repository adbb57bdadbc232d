import { useState } from 'react'
import { Choice } from '../ui/choice.tsx'
import { readDecimal } from '../ui/decimal.ts'
import { Field } from '../ui/field.tsx'
import type { HomeFigures } from './answers.ts'
import { useKnown } from './ask-dashboard.ts'
import { Figures, useCurrencies, useShop } from './shop.tsx'
import { words } from './words.ts'

/** What one or many vouchers are made with: an amount out of the balance, and a last day. */
export function useTerms(label: string = words.amount) {
  const { merchant } = useShop()
  const currencies = useCurrencies().filter(({ isActive }) => isActive)
  const home = useKnown<HomeFigures>('/merchant/home')
  const [amount, setAmount] = useState('')
  const [currency, setCurrency] = useState(merchant.homeCurrency)
  const [expiresAt, setExpiresAt] = useState('')
  const held = home.data?.balances.find((balance) => balance.currency === currency)
  const wanted = readDecimal(amount)
  const fields = (
    <>
      <div className="terms-amount">
        <Field
          label={label}
          inputMode="decimal"
          autoComplete="off"
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
        <Choice
          label={words.currency}
          value={currency}
          onChange={(event) => setCurrency(event.target.value)}
          options={currencies.map(({ abbreviation }) => [abbreviation, abbreviation])}
        />
        {held !== undefined && (
          <p className="soft">
            {words.issue.balance}: <Figures value={held.available} code={currency} />
          </p>
        )}
      </div>
      <Field
        label={words.issue.expires}
        hint={words.issue.expiresHint}
        type="date"
        min={home.data?.today}
        value={expiresAt}
        onChange={(event) => setExpiresAt(event.target.value)}
      />
    </>
  )
  return {
    fields,
    isAmount: /^\d+(\.\d+)?$/.test(wanted) && !/^[0.]*$/.test(wanted),
    asked: { amount: wanted, currency, ...(expiresAt !== '' && { expiresAt }) },
  }
}
