import type { Static } from 'typebox'
import { formatMoney } from '../../base/money.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { exactNumber } from '../../http/exact-json.ts'
import { type Wire } from '../../http/schema.ts'
import type { UnsentOutflow } from './request.ts'
import type { Outflow } from './store.ts'
import { pendingResponse, type WireOutflow } from './wire.ts'

const statuses = { waiting: 'PENDING', delayed: 'APPROVED', cancelled: 'CANCELED' } as const

/** Why an outflow was not sent, for the person who requested it. */
export function describeWait({ status, notBefore }: Pick<UnsentOutflow, 'status' | 'notBefore'>): string {
  if (status === 'cancelled') return 'This request was canceled. Use a new reference to request it again.'
  const until = notBefore === undefined ? '' : `The recipient is new: it is sent at ${notBefore.toISOString()}`
  if (status === 'delayed') return `${until}. Its amount is held.`
  return `The request waits for approval. Its amount is held.${until && ` ${until} or later.`}`
}

export function answerPending(
  outflow: UnsentOutflow,
  referenceId: string,
  amount: bigint,
  currency: CatalogueCurrency,
): Wire<Static<typeof pendingResponse>> {
  const status = statuses[outflow.status]
  const notBefore = outflow.notBefore?.toISOString() ?? ''
  const money = { amount: exactNumber(formatMoney({ minor: amount, currency })), currency: currency.code }
  const data = { id: outflow.id, referenceId, status, notBefore, ...money }
  return { message: describeWait(outflow), code: 200, status, data }
}

/** A waiting outflow in the dashboard. */
export function toWireOutflow(
  outflow: Outflow,
  requester: string,
  currency: CatalogueCurrency,
  at: Date,
): Wire<WireOutflow> {
  const { id, kind, reference, recipient, amount, needsApproval, isApproved, approvals, notBefore } = outflow
  return {
    id,
    kind,
    reference,
    recipient,
    approvals,
    notBefore: notBefore?.toISOString() ?? null,
    requester,
    amount: formatMoney({ minor: amount, currency }),
    currency: currency.code,
    needsApproval: needsApproval && !isApproved,
    isRecipientNew: notBefore !== null && notBefore > at,
    expiresAt: outflow.heldUntil.toISOString(),
    createdAt: outflow.createdAt.toISOString(),
  }
}
