import { useState } from 'react'
import { readDecimal } from '../../ui/numbers.ts'
import { words } from '../words/words.ts'

export type TypedField = {
  readonly inputMode: 'decimal' | 'numeric'
  readonly autoComplete: 'off'
  readonly maxLength?: number
  readonly value: string
  readonly error: string
  readonly onChange: (event: { readonly target: HTMLInputElement }) => void
}

type LimitInput = { readonly isValid: boolean; readonly limit: string; readonly field: TypedField }

/** An amount, or "none" for a blank field. */
export function useLimit(limit: string): LimitInput {
  const [typed, setTyped] = useState(limit === 'none' ? '' : limit)
  const amount = readDecimal(typed)
  const isValid = amount === '' || /^\d+(\.\d+)?$/.test(amount)
  return {
    isValid,
    limit: amount === '' ? 'none' : amount,
    field: {
      inputMode: 'decimal',
      autoComplete: 'off',
      value: typed,
      error: isValid ? '' : words.refusals.AMOUNT_INVALID,
      onChange: ({ target }) => setTyped(target.value),
    },
  }
}
