import Type from 'typebox'
import type { CatalogueCurrency } from '../currency/store.ts'
import { wireMoney } from '../currency/wire.ts'
import type { Tried } from './import-vouchers.ts'
import type { Batch } from './store.ts'

export const wireBatch = Type.Object({
  id: Type.String(),
  referenceId: Type.String(),
  source: Type.Union([Type.Literal('made'), Type.Literal('imported')]),
  status: Type.Union([Type.Literal('issuing'), Type.Literal('ready')]),
  size: Type.Integer({ description: 'How many vouchers it is to have' }),
  issued: Type.Integer({ description: 'How many it has' }),
  refused: Type.Array(Type.Integer(), {
    description: 'Rows of an import, counted from 1, whose code was taken meanwhile. Their value went back to you',
  }),
  amount: Type.Number({ description: 'Of each voucher; 0 for an import, where they differ' }),
  total: Type.Number(),
  currency: Type.String(),
  expiresAt: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
  readyAt: Type.String(),
  exportedAt: Type.String({ description: 'When its codes first left the platform' }),
})

export function toWireBatch(batch: Batch, issued: number, currency: CatalogueCurrency) {
  const time = (at: Date | null): string => at?.toISOString() ?? ''
  return {
    id: batch.id,
    referenceId: batch.reference,
    source: batch.amount === null ? ('imported' as const) : ('made' as const),
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
  }
}

export const wireTrial = Type.Object({
  size: Type.Integer(),
  total: Type.Number(),
  currency: Type.String(),
  isCovered: Type.Boolean({ description: 'Your balance is enough for all of it' }),
  faults: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'Of the file, the first being 1' }),
      column: Type.String(),
      reason: Type.String(),
    }),
    { description: 'The first hundred at most' },
  ),
  confirmation: Type.String({ description: 'Send it with the same file to import it. Empty while a row is bad' }),
})

export function toWireTrial({ size, total, currency, faults, isCovered, confirmation }: Tried) {
  return { size, total: wireMoney(total, currency), currency: currency.code, isCovered, faults, confirmation }
}
