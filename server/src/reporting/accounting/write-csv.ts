import { toLine } from '../csv.ts'
import { type Catalogue, formatMinor } from '../to-wire.ts'
import type { Fee } from './read-fees.ts'
import type { Liability } from './read-liability.ts'

export const liabilityHead = ['currency', 'vouchers', 'movement', 'in', 'out']
export const feeHead = ['currency', 'kind', 'paid by', 'fees', 'returned']

/** An amount, or nothing for zero. */
export function toCell(catalogue: Catalogue, minor: bigint, currency: string): string {
  return minor === 0n ? '' : formatMinor(catalogue, minor, currency)
}

/** The opening value and what changed it. The sum of `in` less that of `out` is the closing value. */
export function toLiabilityLines(catalogue: Catalogue, liability: Liability): string[] {
  const { currency, vouchers, opening, movements } = liability
  const line = (name: string, valueIn: bigint, valueOut: bigint): string =>
    toLine([currency, vouchers, name, toCell(catalogue, valueIn, currency), toCell(catalogue, valueOut, currency)])
  const moved = movements.map(({ kind, valueIn, valueOut }) => line(kind, valueIn, valueOut))
  return [line('opening', opening, 0n), ...moved]
}

export function toFeeLine(catalogue: Catalogue, { currency, kind, bearer, paid, returned }: Fee): string {
  return toLine([currency, kind, bearer, toCell(catalogue, paid, currency), toCell(catalogue, returned, currency)])
}
