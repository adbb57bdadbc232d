import { type ReactNode, useState } from 'react'
import { DateField } from '../../ui/date-field.tsx'
import { isZero } from '../../ui/decimal.ts'
import { Field } from '../../ui/field.tsx'
import { readDecimal } from '../../ui/numbers.ts'
import { useMark } from '../../ui/use-mark.ts'
import { CurrencyChoice } from '../parts/currency-choice.tsx'
import { useKnown } from '../shell/request-dashboard.ts'
import type { HomeSummary } from '../shell/responses.ts'
import { Money, useShop } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

type Terms = {
  readonly fields: ReactNode
  readonly isAmount: boolean
  /** Returns whether an amount was entered and the expiry date is not incomplete, and marks the fields if not. */
  readonly check: () => boolean
  readonly input: { readonly amount: string; readonly currency: string; readonly expiresAt?: string }
}

/** The fields for the amount, the currency and the expiry date of new vouchers. */
export function useTerms(label: string = words.amount): Terms {
  const { merchant } = useShop()
  const home = useKnown<HomeSummary>('/merchant/home')
  const [amount, setAmount] = useState('')
  const [currency, setCurrency] = useState(merchant.homeCurrency)
  const [expiresAt, setExpiresAt] = useState<string | undefined>('')
  const balance = home.data?.balances.find((each) => each.currency === currency)
  const decimal = readDecimal(amount)
  const isAmount = /^\d+(\.\d+)?$/.test(decimal) && !isZero(decimal)
  const amountMark = useMark(isAmount)
  const expiryMark = useMark(expiresAt !== undefined)
  const fields = (
    <>
      <div className="terms-amount">
        <Field
          label={label}
          inputMode="decimal"
          autoComplete="off"
          value={amount}
          error={amountMark.isMarked ? words.refusals.AMOUNT_INVALID : ''}
          onChange={(event) => setAmount(event.target.value)}
        />
        <CurrencyChoice value={currency} onChange={setCurrency} />
        {balance !== undefined && (
          <p className="soft">
            {words.issue.balance}
            {words.colon} <Money value={balance.available} code={currency} />
          </p>
        )}
      </div>
      <DateField
        label={words.issue.expires}
        hint={words.issue.expiresHint}
        min={home.data?.today}
        value={expiresAt ?? ''}
        error={expiryMark.isMarked ? words.issue.expiresIncomplete : ''}
        onDay={setExpiresAt}
      />
    </>
  )
  return {
    fields,
    isAmount,
    check: () => [amountMark.check(), expiryMark.check()].every(Boolean),
    input: { amount: decimal, currency, ...(expiresAt !== undefined && expiresAt !== '' && { expiresAt }) },
  }
}
