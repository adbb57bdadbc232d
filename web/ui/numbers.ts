// Numbers as the user's language writes them.
import { chooseDisplay, isIsoCurrency } from '../../server/src/base/currency-symbol.ts'
import { locale } from './locale.ts'
import { createNumberFormat } from './number-format.ts'

const numberFormat = createNumberFormat(locale)
export const { decimalMark, groupDecimal, splitMoney } = numberFormat

/** A decimal string for a field that the user may edit: without separators of thousands, which `readDecimal` refuses. */
export function writeDecimal(decimal: string): string {
  return decimal.replace('.', numberFormat.decimalMark)
}

/** What the user typed, as a decimal string. Accepts a decimal comma in locales that use one. */
export function readDecimal(typed: string): string {
  const text = typed.trim()
  return numberFormat.decimalMark === ',' ? text.replace(',', '.') : text
}

/** A round amount on the axis of a chart: $1K. */
export function formatTick(value: number, code: string): string {
  const options = { notation: 'compact', maximumFractionDigits: 1 } as const
  if (!isIsoCurrency(code)) return new Intl.NumberFormat(locale, options).format(value)
  const currencyDisplay = chooseDisplay(locale, code)
  return new Intl.NumberFormat(locale, {
    ...options,
    style: 'currency',
    currency: code,
    currencyDisplay,
    minimumFractionDigits: 0,
  }).format(value)
}
