import { timeOfId } from '../../base/id.ts'
import { exactNumber } from '../../http/exact-json.ts'
import type { ExactNumber, Wire } from '../../http/schema.ts'
import { type Catalogue, formatMinor } from '../to-wire.ts'
import type { Fee } from './read-fees.ts'
import type { Liability } from './read-liability.ts'
import type { AccountTotal } from './read-totals.ts'
import type { Entry } from './store.ts'
import type { WireFees, WireLiability, WireStatement, WireTotals } from './wire.ts'

export function toAmount(catalogue: Catalogue, minor: bigint, currency: string): ExactNumber {
  return exactNumber(formatMinor(catalogue, minor, currency))
}

export function toWireLiability(
  catalogue: Catalogue,
  { currency, vouchers, opening, closing, movements, months, ages }: Liability,
): Wire<WireLiability>['liabilities'][number] {
  const amount = (minor: bigint): ExactNumber => toAmount(catalogue, minor, currency)
  return {
    currency,
    vouchers,
    opening: amount(opening),
    closing: amount(closing),
    movements: movements.map(({ kind, valueIn, valueOut }) => ({
      kind,
      valueIn: amount(valueIn),
      valueOut: amount(valueOut),
    })),
    months: months.map(({ month, outstanding }) => ({ month, outstanding: amount(outstanding) })),
    ages: ages.map(({ months: age, outstanding }) => ({ months: age, outstanding: amount(outstanding) })),
  }
}

export function toWireLine(catalogue: Catalogue, entry: Entry): Wire<WireStatement>['lines'][number] {
  const { journalId, kind, type, reference, currency, valueIn, valueOut } = entry
  return {
    ...{ id: journalId, at: timeOfId(journalId).toISOString(), kind, type, reference },
    valueIn: toAmount(catalogue, valueIn, currency),
    valueOut: toAmount(catalogue, valueOut, currency),
  }
}

export function toWireFee(catalogue: Catalogue, fee: Fee): Wire<WireFees>['fees'][number] {
  const { currency, kind, bearer, paid, returned } = fee
  const amount = (minor: bigint): ExactNumber => toAmount(catalogue, minor, currency)
  return { currency, kind, bearer, amount: amount(paid), returned: amount(returned) }
}

/** An account that gets value is debited, one that gives it is credited. */
export function toWireTotal(catalogue: Catalogue, total: AccountTotal): Wire<WireTotals>['totals'][number] {
  const { currency, account, opening, valueIn, valueOut } = total
  const amount = (minor: bigint): ExactNumber => toAmount(catalogue, minor, currency)
  return {
    ...{ account, currency },
    opening: amount(opening),
    debit: amount(valueIn),
    credit: amount(valueOut),
    closing: amount(opening + valueIn - valueOut),
  }
}
