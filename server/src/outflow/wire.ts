import Type from 'typebox'
import { formatMoney } from '../base/money.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import { exactNumber } from '../http/exact-json.ts'
import type { RequestedOutflow } from './request.ts'
import type { Outflow } from './store.ts'

/** Instead of what was requested, while it waits: status "PENDING", and no code. */
const wirePending = Type.Object({
  id: Type.String({ format: 'uuid' }),
  referenceId: Type.String(),
  status: Type.Union([Type.Literal('PENDING'), Type.Literal('CANCELED')]),
  amount: Type.Number(),
  currency: Type.String(),
})

/** The envelope of an outflow that has not left. A repeat of the request answers with the result once it has. */
export const pendingResponse = Type.Object({
  message: Type.String(),
  code: Type.Literal(200),
  status: Type.Union([Type.Literal('PENDING'), Type.Literal('CANCELED')]),
  data: wirePending,
})

export function answerPending(
  { id, status }: RequestedOutflow,
  referenceId: string,
  amount: bigint,
  currency: CatalogueCurrency,
) {
  const wireStatus = status === 'cancelled' ? 'CANCELED' : 'PENDING'
  const message =
    status === 'cancelled'
      ? 'This request was canceled. Use a new reference to request it again.'
      : 'The request waits for approval. Its amount is held.'
  const money = { amount: exactNumber(formatMoney({ minor: amount, currency })), currency: currency.code }
  return { message, code: 200, status: wireStatus, data: { id, referenceId, status: wireStatus, ...money } }
}

/** As staff see it. */
export function toWireOutflow(outflow: Outflow, requester: string, currency: CatalogueCurrency, at: Date) {
  const { id, kind, reference, recipient, amount, needsApproval, isApproved, approvals, notBefore } = outflow
  return {
    ...{ id, kind, reference, recipient, approvals, notBefore, requester },
    amount: formatMoney({ minor: amount, currency }),
    currency: currency.code,
    needsApproval: needsApproval && !isApproved,
    isRecipientNew: notBefore !== null && notBefore > at,
    expiresAt: outflow.heldUntil,
    createdAt: outflow.createdAt,
  }
}
