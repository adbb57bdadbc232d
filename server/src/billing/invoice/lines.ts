import { type Currency, divide, parseMoney } from '../../base/money.ts'
import { invoiceError } from './errors.ts'

export type Line = {
  readonly description: string
  /** As submitted. */
  readonly quantity: string
  readonly unitPrice: bigint
  /** Without taxes. */
  readonly total: bigint
}
export type LineInput = { readonly description: string; readonly quantity: string; readonly unitPrice: string }

const quantityForm = /^(0|[1-9]\d{0,13})(?:\.(\d{1,6}))?$/
const million = 1_000_000n

// In major units. More than anyone bills, and far below what the ledger can hold.
const majorMax = 1_000_000_000_000n

/** Returns the amount, and throws if it is too large. */
export function checkSize(minor: bigint, { decimals }: Currency, param: string): bigint {
  if (minor > majorMax * 10n ** BigInt(decimals)) throw invoiceError('INVOICE_TOO_LARGE', { param })
  return minor
}

/** Reads a line, which is `param` in the request. Quantities are in millionths, totals round to the nearest minor unit, half to even. */
export function readLine({ description, quantity, unitPrice }: LineInput, currency: Currency, param: string): Line {
  const [ofQuantity, ofPrice] = [`${param}.quantity`, `${param}.unitPrice`]
  const [, whole = '', fraction = ''] = quantityForm.exec(quantity) ?? []
  const millionths = whole === '' ? 0n : BigInt(whole + fraction.padEnd(6, '0'))
  if (millionths === 0n) throw invoiceError('INVOICE_QUANTITY_INVALID', { param: ofQuantity })
  const { minor } = parseMoney(unitPrice, currency, ofPrice)
  checkSize(minor, currency, ofPrice)
  const total = checkSize(divide(minor * millionths, million, 'half_even'), currency, ofQuantity)
  return { description, quantity, unitPrice: minor, total }
}

/** The sum of the lines, without taxes. */
export function netOf(lines: readonly Line[]): bigint {
  return lines.reduce((sum, { total }) => sum + total, 0n)
}
