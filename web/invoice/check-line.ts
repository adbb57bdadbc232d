import { formatMoney } from '../../server/src/base/money.ts'
import { type Line, readLine } from '../../server/src/billing/invoice/lines.ts'
import { groupDecimal, readDecimal } from '../ui/numbers.ts'
import type { DraftItem } from './request-invoice.ts'
import { words } from './words.ts'

/** A line as typed into the form. */
export type TypedLine = DraftItem & {
  readonly id: string
  /** Added with the button: its first field takes the focus. */
  readonly isNew?: boolean
}

export type CheckedLine = {
  readonly item: DraftItem
  /** Undefined if the line cannot be submitted. */
  readonly line: Line | undefined
  readonly total: string
  readonly errors: LineErrors
}
type LineErrors = Partial<Record<keyof DraftItem, string>>

export type MoneyCurrency = { readonly code: string; readonly decimals: number }

export function emptyLine(): TypedLine {
  return { id: crypto.randomUUID(), description: '', quantity: '1', unitPrice: '' }
}

/** Computes the total of a line, and its errors, with the code that the server uses. */
export function checkLine(typed: TypedLine, currency: MoneyCurrency): CheckedLine {
  const item = {
    description: typed.description.trim(),
    quantity: readDecimal(typed.quantity),
    unitPrice: readDecimal(typed.unitPrice),
  }
  const errors = item.description === '' ? { description: words.line.descriptionMissing } : {}
  try {
    const line = readLine(item, currency, 'line')
    const total = formatMoney({ minor: line.total, currency })
    return { item, line: item.description === '' ? undefined : line, total, errors }
  } catch (error) {
    return { item, line: undefined, total: '', errors: { ...errors, ...numberError(error, currency) } }
  }
}

/** The server's error names the wrong field in `details.param`. */
function numberError(error: unknown, currency: MoneyCurrency): LineErrors {
  const details = error instanceof Error && 'details' in error ? (error.details as { param?: string }) : {}
  if (details.param === 'line.quantity') return { quantity: words.line.quantityInvalid }
  const one = formatMoney({ minor: 10n ** BigInt(currency.decimals), currency })
  return { unitPrice: words.line.priceInvalid(groupDecimal(one)) }
}
