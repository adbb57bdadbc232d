import Type, { type Static } from 'typebox'
import { cursorFields, money, named } from '../../http/schema.ts'

/** The same status as its transaction has in verify-transaction. */
const wireStatus = Type.Union([Type.Literal('PENDING'), Type.Literal('APPROVED'), Type.Literal('CANCELED')], {
  description: 'PENDING: waits for approval. APPROVED: waits because the recipient is new',
})

/** The data of a waiting outflow, in place of its result. */
const wirePending = named('PendingOutflow', {
  id: Type.String({ format: 'uuid' }),
  referenceId: Type.String(),
  status: wireStatus,
  notBefore: Type.String({
    description: 'When it is sent at the earliest, if the recipient is new; empty otherwise',
  }),
  amount: money(),
  currency: Type.String(),
})
export type WirePending = Static<typeof wirePending>

/** The response of a waiting outflow. A retry returns the result once it was sent. */
export const pendingResponse = named('PendingResponse', {
  message: Type.String(),
  code: Type.Literal(200),
  status: wireStatus,
  data: wirePending,
})

/** What the rule would decide about an outflow now: sent at once, or what it waits for, or refused. */
export const outflowForecasts = ['sent', 'needs_approval', 'delayed', 'above_daily'] as const
export type OutflowForecast = (typeof outflowForecasts)[number]

export const outflowKinds = ['payout', 'payout_batch', 'voucher', 'batch', 'replacement', 'invoice', 'refund'] as const

/** A waiting outflow in the dashboard. */
const wireOutflow = Type.Object({
  id: Type.String({ format: 'uuid' }),
  kind: Type.Enum(outflowKinds),
  reference: Type.String(),
  recipient: Type.String(),
  approvals: Type.Integer({ description: 'The number of staff members other than the requester who approved it' }),
  notBefore: Type.Union([Type.Null(), Type.String({ format: 'date-time' })]),
  requester: Type.String({ description: 'Empty if an API key requested it' }),
  amount: Type.String(),
  currency: Type.String(),
  needsApproval: Type.Boolean(),
  isRecipientNew: Type.Boolean(),
  expiresAt: Type.String({ format: 'date-time' }),
  createdAt: Type.String({ format: 'date-time' }),
})
export type WireOutflow = Static<typeof wireOutflow>

export const wireOutflows = Type.Object({
  outflows: Type.Array(wireOutflow),
  approvers: Type.Integer(),
  ...cursorFields,
})
export type WireOutflows = Static<typeof wireOutflows>

const limit = Type.String({ description: 'An amount, or "none"' })

export const wireOutflowLimits = Type.Object({
  currency: Type.String(),
  approvalAbove: limit,
  daily: limit,
  newRecipientHours: Type.Integer(),
  isDefault: Type.Boolean(),
  total: Type.String({ description: 'Money out in the last 24 hours, including waiting requests' }),
})
export type WireOutflowLimits = Static<typeof wireOutflowLimits>
