import type { Static } from 'typebox'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { wireMoney } from '../../catalogue/currency/to-wire.ts'
import type { Wire } from '../../http/schema.ts'
import { rulesOf } from '../voucher/rules.ts'
import { toWireRules } from '../voucher/to-wire.ts'
import type { Tried } from './import-vouchers.ts'
import { type Batch, isImport } from './store.ts'
import { wireBatch, wireTrial } from './wire.ts'

export function toWireBatch(batch: Batch, issued: number, currency: CatalogueCurrency): Wire<Static<typeof wireBatch>> {
  const time = (at: Date | null): string => at?.toISOString() ?? ''
  return {
    id: batch.id,
    referenceId: batch.reference,
    source: isImport(batch) ? ('imported' as const) : ('made' as const),
    status: batch.finishedAt === null ? ('issuing' as const) : ('ready' as const),
    size: batch.size,
    issued,
    refused: batch.refusedRows,
    amount: wireMoney(batch.amount ?? 0n, currency),
    total: wireMoney(batch.total, currency),
    currency: batch.currency,
    expiresAt: time(batch.expiresAt),
    createdAt: batch.createdAt.toISOString(),
    readyAt: time(batch.finishedAt),
    exportedAt: time(batch.exportedAt),
    isInactive: batch.isInactive,
    rules: toWireRules(rulesOf(batch), currency, 'issuer'),
  }
}

export function toWireTrial({
  size,
  total,
  currency,
  faults,
  isCovered,
  confirmation,
}: Tried): Wire<Static<typeof wireTrial>> {
  return { size, total: wireMoney(total, currency), currency: currency.code, isCovered, faults, confirmation }
}
