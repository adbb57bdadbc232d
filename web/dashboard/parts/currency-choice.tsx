import type { ReactNode } from 'react'
import { Choice } from '../../ui/choice.tsx'
import { useCurrencies } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

type CurrencyChoiceProps = {
  readonly value: string
  readonly isDisabled?: boolean
  readonly onChange: (currency: string) => void
}

/** Chooses one of the currencies that the platform offers now. */
export function CurrencyChoice({ value, isDisabled = false, onChange }: CurrencyChoiceProps): ReactNode {
  const offered = useCurrencies().filter(({ isActive }) => isActive)
  return (
    <Choice
      label={words.currency}
      value={value}
      disabled={isDisabled}
      onChange={(event) => onChange(event.target.value)}
      options={offered.map(({ abbreviation }) => [abbreviation, abbreviation])}
    />
  )
}
