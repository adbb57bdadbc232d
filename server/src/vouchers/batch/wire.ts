import Type, { type Static } from 'typebox'
import { cursorFields, money, named } from '../../http/schema.ts'
import { shownRules } from '../voucher/wire.ts'

export const wireBatch = named('VoucherBatch', {
  id: Type.String(),
  referenceId: Type.String(),
  source: Type.Union([Type.Literal('made'), Type.Literal('imported')]),
  status: Type.Union([Type.Literal('issuing'), Type.Literal('ready')]),
  size: Type.Integer({ description: 'Number of vouchers to issue' }),
  issued: Type.Integer({ description: 'Number of vouchers issued so far' }),
  refused: Type.Array(Type.Integer(), {
    description:
      'Rows of an import, counted from 1, whose code was taken since the check. Their value was returned to you',
  }),
  amount: money(
    'Amount of each voucher; 0 for an import, where amounts differ, and for cards without a printed amount',
  ),
  total: money(),
  currency: Type.String(),
  expiresAt: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
  readyAt: Type.String(),
  exportedAt: Type.String({ description: 'When its codes were first downloaded' }),
  isInactive: Type.Boolean({ description: 'True for cards that are worthless until you sell them' }),
  rules: shownRules,
})
export type WireBatch = Static<typeof wireBatch>

export const wireBatches = Type.Object({ batches: Type.Array(wireBatch), ...cursorFields })
export type WireBatches = Static<typeof wireBatches>

export const wireTrial = named('ImportCheck', {
  size: Type.Integer(),
  total: money(),
  currency: Type.String(),
  isCovered: Type.Boolean({ description: 'True if your balance covers the total' }),
  faults: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'Line of the file, from 1' }),
      column: Type.String(),
      reason: Type.String(),
    }),
    { description: 'At most 100' },
  ),
  confirmation: Type.String({ description: 'Send it with the same file to import it. Empty if a row is invalid' }),
})
export type WireTrial = Static<typeof wireTrial>

/** The check of a file, or the batch that was imported. */
export const wireImport = Type.Object({ trial: Type.Optional(wireTrial), batch: Type.Optional(wireBatch) })
export type WireImport = Static<typeof wireImport>
