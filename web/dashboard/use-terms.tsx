import { type ReactNode, useState } from 'react'
import { Choice } from '../ui/choice.tsx'
import { isZero, readDecimal } from '../ui/decimal.ts'
import { Field } from '../ui/field.tsx'
import type { HomeSummary } from './responses.ts'
import { useKnown } from './request-dashboard.ts'
import { Money, useCurrencies, useShop } from './shop.tsx'
import { words } from './words.ts'

type Terms = {
  readonly fields: ReactNode
  readonly isAmount: boolean
  readonly input: { readonly amount: string; readonly currency: string; readonly expiresAt?: string }
}

/** The fields for the amount, the currency and the expiry date of new vouchers. */
export function useTerms(label: string = words.amount): Terms {
  const { merchant } = useShop()
  const currencies = useCurrencies().filter(({ isActive }) => isActive)
  const home = useKnown<HomeSummary>('/merchant/home')
  const [amount, setAmount] = useState('')
  const [currency, setCurrency] = useState(merchant.homeCurrency)
  const [expiresAt, setExpiresAt] = useState('')
  const balance = home.data?.balances.find((each) => each.currency === currency)
  const decimal = readDecimal(amount)
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
        {balance !== undefined && (
          <p className="soft">
            {words.issue.balance}
            {words.colon} <Money value={balance.available} code={currency} />
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
    isAmount: /^\d+(\.\d+)?$/.test(decimal) && !isZero(decimal),
    input: { amount: decimal, currency, ...(expiresAt !== '' && { expiresAt }) },
  }
}
