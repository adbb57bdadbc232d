import Type, { type Static } from 'typebox'
import { modes } from '../base/mode.ts'
import { cursorFields } from '../http/schema.ts'

export const actKinds = [
  'payments',
  'vouchers',
  'invoices',
  'outflows',
  'customers',
  'team',
  'settings',
  'developers',
  'other',
] as const
export const wireActKind = Type.Enum(actKinds)

const wireAuditEntry = Type.Object({
  id: Type.String({ format: 'uuid' }),
  at: Type.String({ format: 'date-time' }),
  who: Type.String({
    description: 'The staff member, the name of the key, or the operator’s user; empty for an unnamed key',
  }),
  by: Type.Enum(['member', 'key', 'operator']),
  email: Type.String({ description: 'Of the staff member' }),
  mode: Type.Union([Type.Null(), Type.Enum(modes)]),
  kind: wireActKind,
  operation: Type.String({ description: 'Such as POST /merchant/invoices/:id/approve' }),
  object: Type.String({ description: 'As the request named it' }),
  about: Type.String({ description: 'The name of the object, if it has one: a staff member, an invoice, a customer' }),
  address: Type.String({ description: 'The network address' }),
  outcome: Type.Enum(['done', 'refused', 'unknown'], {
    description: 'unknown: the process ended before it answered',
  }),
})
export type WireAuditEntry = Static<typeof wireAuditEntry>

export const wireAuditLog = Type.Object({ acts: Type.Array(wireAuditEntry), ...cursorFields })
export type WireAuditLog = Static<typeof wireAuditLog>
