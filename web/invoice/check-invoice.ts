import { formatMoney } from '../../server/src/base/money.ts'
import { netOf } from '../../server/src/billing/invoice/lines.ts'
import { totalOf } from '../../server/src/billing/invoice/taxes.ts'
import { checkLine, type CheckedLine, type MoneyCurrency, type TypedLine } from './check-line.ts'
import { checkTax, type CheckedTax, type TypedTax } from './check-tax.ts'

export type CheckedInvoice = {
  /** In the order of the form. */
  readonly lines: readonly CheckedLine[]
  readonly taxes: readonly CheckedTax[]
  readonly net: string
  readonly total: string
  readonly isComplete: boolean
}

/** Computes what the sender sees before sending, with the code that the server uses. */
export function checkInvoice(
  typedLines: readonly TypedLine[],
  typedTaxes: readonly TypedTax[],
  currency: MoneyCurrency,
): CheckedInvoice {
  const lines = typedLines.map((line) => checkLine(line, currency))
  const net = netOf(lines.flatMap(({ line }) => line ?? []))
  const taxes = typedTaxes.map((tax) => checkTax(tax, net, currency))
  const total = totalOf(
    net,
    taxes.flatMap(({ tax }) => tax ?? []),
  )
  return {
    lines,
    taxes,
    net: formatMoney({ minor: net, currency }),
    total: formatMoney({ minor: total, currency }),
    isComplete: lines.every(({ line }) => line !== undefined) && taxes.every(({ tax }) => tax !== undefined),
  }
}
