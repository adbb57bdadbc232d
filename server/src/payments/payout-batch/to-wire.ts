import type { Static } from 'typebox'
import { formatMoney } from '../../base/money.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { wireMoney } from '../../catalogue/currency/to-wire.ts'
import type { Wire } from '../../http/schema.ts'
import { rowFaults } from './faults.ts'
import type { PayoutBatch, PayoutRow } from './store.ts'
import { type FileCheck, isAccepted } from './submit-payouts.ts'
import { wirePayoutBatch, wirePayoutCheck, type WirePayoutRow } from './wire.ts'

export function toWirePayoutBatch(
  batch: PayoutBatch,
  currency: CatalogueCurrency,
): Wire<Static<typeof wirePayoutBatch>> {
  const { id, reference, status, size, paid, refused, total, returned, createdAt, finishedAt } = batch
  return {
    ...{ id, status, size, paid, refused },
    referenceId: reference,
    total: wireMoney(total, currency),
    returned: formatMoney({ minor: returned, currency }),
    currency: currency.code,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? '',
  }
}

export function toWirePayoutRow(row: PayoutRow, currency: CatalogueCurrency): WirePayoutRow {
  const { line, recipient, name, amount, reference, note, status, fault } = row
  return {
    ...{ line, recipient, name, note, status, fault },
    // A row in another currency has an amount of that currency, which this file does not pay.
    amount: amount === null || fault === 'CURRENCY_OTHER' ? '' : formatMoney({ minor: amount, currency }),
    referenceId: status === 'refused' ? '' : reference,
    reason: fault === null ? '' : rowFaults[fault],
  }
}

export function toWireCheck(
  check: FileCheck,
  catalogue: readonly CatalogueCurrency[],
): Wire<Static<typeof wirePayoutCheck>> {
  const { rows, total, currency, isCovered, outflow, waitHours, sameFile = '', confirmation } = check
  const accepted = rows.filter(isAccepted)
  return {
    ...{ isCovered, outflow, waitHours, sameFile, confirmation },
    size: rows.length,
    accepted: accepted.length,
    newRecipients: accepted.filter(({ user }) => !user.isKnown).length,
    total: wireMoney(total, currency),
    currency: currency.code,
    totals: sumByCurrency(check, catalogue),
    faults: rows.flatMap(({ line, recipient, fault }) =>
      fault === undefined ? [] : [{ line, recipient, fault, reason: rowFaults[fault] }],
    ),
  }
}

function sumByCurrency({ rows }: FileCheck, catalogue: readonly CatalogueCurrency[]) {
  const readable = rows.flatMap(({ currency, amount }) => (amount === undefined ? [] : [{ currency, amount }]))
  return [...Map.groupBy(readable, ({ currency }) => currency)].flatMap(([code, each]) => {
    const currency = catalogue.find((one) => one.code === code)
    if (currency === undefined) return []
    const minor = each.reduce((sum, { amount }) => sum + amount, 0n)
    return [{ currency: code, rows: each.length, amount: formatMoney({ minor, currency }) }]
  })
}
