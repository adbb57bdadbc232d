import { formatMoney } from '../../server/src/base/money.ts'
import { readTax, type Tax } from '../../server/src/billing/invoice/taxes.ts'
import type { MoneyCurrency } from './check-line.ts'
import { readDecimal } from '../ui/numbers.ts'
import type { DraftTax } from './request-invoice.ts'
import { words } from './words.ts'

/** A tax as typed into the form. */
export type TypedTax = DraftTax & { readonly id: string }

export type CheckedTax = {
  readonly item: DraftTax
  /** Undefined if the tax cannot be submitted. */
  readonly tax: Tax | undefined
  readonly amount: string
  readonly errors: TaxErrors
}
type TaxErrors = Partial<Record<keyof DraftTax, string>>

export function emptyTax(): TypedTax {
  return { id: crypto.randomUUID(), name: '', rate: '' }
}

/** Computes a tax on the net amount, and its errors, with the code that the server uses. */
export function checkTax(typed: TypedTax, net: bigint, currency: MoneyCurrency): CheckedTax {
  const item = { name: typed.name.trim(), rate: readDecimal(typed.rate) }
  const errors = item.name === '' ? { name: words.tax.nameMissing } : {}
  try {
    const tax = readTax(item, net, 'tax')
    const amount = formatMoney({ minor: tax.amount, currency })
    return { item, tax: item.name === '' ? undefined : tax, amount, errors }
  } catch {
    return { item, tax: undefined, amount: '', errors: { ...errors, rate: words.tax.rateInvalid } }
  }
}
