import { type Currency, divide } from '../../base/money.ts'
import { invoiceError } from './errors.ts'
import { checkSize } from './lines.ts'

export type Tax = {
  readonly name: string
  /** In percent, as submitted. */
  readonly rate: string
  readonly amount: bigint
}
export type TaxInput = { readonly name: string; readonly rate: string }

const rateForm = /^(0|[1-9]\d{0,2})(?:\.(\d{1,3}))?$/
/** 100 %, in thousandths of a percent. */
const whole = 100_000n

/** Reads a tax on the net amount, which is `param` in the request. It rounds to the nearest minor unit, half up. */
export function readTax({ name, rate }: TaxInput, net: bigint, param: string): Tax {
  const [, percent, fraction = ''] = rateForm.exec(rate) ?? []
  const thousandths = percent === undefined ? undefined : BigInt(percent + fraction.padEnd(3, '0'))
  if (thousandths === undefined || thousandths > whole)
    throw invoiceError('INVOICE_TAX_INVALID', { param: `${param}.rate` })
  return { name, rate, amount: divide(net * thousandths, whole, 'half_up') }
}

/** What is paid: the net amount and the taxes. */
export function totalOf(net: bigint, taxes: readonly Tax[]): bigint {
  return taxes.reduce((sum, { amount }) => sum + amount, net)
}

/** The total. Throws if it is too large. */
export function readTotal(net: bigint, taxes: readonly Tax[], currency: Currency): bigint {
  return checkSize(totalOf(net, taxes), currency, 'invoiceItems')
}
