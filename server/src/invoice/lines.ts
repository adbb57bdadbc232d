import { type Currency, divide, parseMoney } from '../base/money.ts'
import { invoiceError } from './errors.ts'

export type Line = {
  readonly description: string
  /** As it was written. */
  readonly quantity: string
  readonly unitPrice: bigint
  readonly total: bigint
}
export type AskedLine = { readonly description: string; readonly quantity: string; readonly unitPrice: string }

const quantityForm = /^(0|[1-9]\d{0,13})(?:\.(\d{1,6}))?$/
const million = 1_000_000n

/** Exact: a quantity is a number of millionths. What is less than a minor unit of a line rounds to the nearest, half to even. */
export function readLine({ description, quantity, unitPrice }: AskedLine, currency: Currency): Line {
  const [, whole = '', fraction = ''] = quantityForm.exec(quantity) ?? []
  const millionths = whole === '' ? 0n : BigInt(whole + fraction.padEnd(6, '0'))
  if (millionths === 0n) throw invoiceError('INVOICE_QUANTITY_INVALID', { param: 'quantity' })
  const { minor } = parseMoney(unitPrice, currency, 'unitPrice')
  return { description, quantity, unitPrice: minor, total: divide(minor * millionths, million, 'half_even') }
}

export function totalOf(lines: readonly Line[]): bigint {
  return lines.reduce((sum, { total }) => sum + total, 0n)
}
