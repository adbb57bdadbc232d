// Numbers as the user's language writes them.
import { locale } from './locale.ts'
import { createNumberFormat } from './number-format.ts'

const numberFormat = createNumberFormat(locale)
export const { groupDecimal, splitMoney } = numberFormat

/** What the user typed, as a decimal string. Accepts a decimal comma in locales that use one. */
export function readDecimal(typed: string): string {
  const text = typed.trim()
  return numberFormat.decimalMark === ',' ? text.replace(',', '.') : text
}
