import { inTransaction, type Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { hasCode } from '../../base/errors.ts'
import { formatMoney } from '../../base/money.ts'
import { dueBy, processDue } from '../../base/jobs.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller, Owner } from '../../http/caller.ts'
import type { Account } from '../../ledger/account.ts'
import { postWithin } from '../../ledger/batch.ts'
import type { HoldAct } from '../../ledger/journal.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { findOwner } from '../../identity/merchant/store.ts'
import { moveTransaction } from '../transaction/store.ts'
import { outflowError } from './errors.ts'
import { outflowEvent } from './events.ts'
import { type OutflowTools, purposeOf, rulesOf, type Sent } from './request.ts'
import { isAboveDaily } from './rules.ts'
import {
  addApproval,
  addToHour,
  countApprovers,
  endOutflow,
  hourOf,
  isInRollingDay,
  journalKinds,
  lockOutflow,
  lockShop,
  markApproved,
  type Outflow,
  type OutflowKind,
  type OutflowName,
  sumRollingDay,
  takeFromHour,
} from './store.ts'

/** Builds the posting of an outflow of one kind after its wait. Undefined if it has already posted itself. */
type SendOutflow = (tx: Tx, outflow: Outflow, request: object, journalId: string) => Promise<Sent | undefined>
export type FinishTools = OutflowTools & { readonly senders: Readonly<Record<OutflowKind, SendOutflow>> }

const approvalsNeeded = 2

async function lockWaiting(tx: Tx, environmentId: string, by: OutflowName): Promise<Outflow> {
  await actFor(tx, environmentId)
  const outflow = await lockOutflow(tx, environmentId, by)
  if (outflow === undefined) throw outflowError('OUTFLOW_NOT_FOUND')
  if (outflow.endedAt !== null) throw outflowError('OUTFLOW_ENDED')
  return outflow
}

export type Approved = 'sent' | 'approved' | 'one_more'

/**
 * Approves an outflow as a staff member. An outflow needs two different people: the requester counts as one, an API
 * key as none. It is sent at once, or when the wait for a new recipient is over.
 */
export async function approveOutflow(
  tools: FinishTools,
  { environmentId, memberId }: MerchantCaller,
  by: OutflowName,
): Promise<Approved> {
  return inTransaction(tools.pool, async (tx) => {
    const outflow = await lockWaiting(tx, environmentId, by)
    if (!outflow.needsApproval || outflow.isApproved) throw outflowError('OUTFLOW_ENDED')
    if (memberId === undefined || memberId === outflow.requestedBy) throw outflowError('OUTFLOW_SAME_PERSON')
    if (!(await addApproval(tx, outflow, memberId, tools.clock()))) throw outflowError('OUTFLOW_APPROVED_TWICE')
    const users = outflow.approvals + 1 + (outflow.requestedBy === null ? 0 : 1)
    if (users < approvalsNeeded) return 'one_more'
    return release(tools, tx, outflow)
  })
}

/** Approves as the operator, for a shop with fewer than two approvers. */
export async function approveAsOperator(tools: FinishTools, environmentId: string, by: OutflowName): Promise<Approved> {
  return inTransaction(tools.pool, async (tx) => {
    const outflow = await lockWaiting(tx, environmentId, by)
    if (!outflow.needsApproval || outflow.isApproved) throw outflowError('OUTFLOW_ENDED')
    if ((await countApprovers(tx, environmentId)) >= approvalsNeeded) throw outflowError('OUTFLOW_STAFF_DECIDES')
    return release(tools, tx, outflow)
  })
}

async function release(tools: FinishTools, tx: Tx, outflow: Outflow): Promise<Approved> {
  await refuseAboveDaily(tools, tx, outflow)
  await markApproved(tx, outflow)
  const at = tools.clock()
  if (outflow.notBefore === null || outflow.notBefore <= at) {
    await sendNow(tools, tx, outflow)
    return 'sent'
  }
  if (hasTransaction(outflow)) await moveTransaction(tx, outflow, 'APPROVED', at)
  return 'approved'
}

/** An outflow that waited for more than a day is no longer in the daily total, so the limit is checked again. */
async function refuseAboveDaily({ clock }: FinishTools, tx: Tx, outflow: Outflow): Promise<void> {
  const { environmentId, hour, homeAmount } = outflow
  const at = clock()
  const rules = await rulesOf({ clock }, tx, await lockShop(tx, environmentId))
  const total = await sumRollingDay(tx, environmentId, at)
  const own = isInRollingDay(hour, at) ? 0n : homeAmount
  if (isAboveDaily(rules, total + own)) throw outflowError('OUTFLOW_ABOVE_DAILY')
}

async function sendNow(tools: FinishTools, tx: Tx, outflow: Outflow): Promise<void> {
  const at = tools.clock()
  if (outflow.heldUntil <= at) throw outflowError('OUTFLOW_ENDED')
  const id = tools.newId()
  const request = tools.keyRing.openFacts(purposeOf(outflow.id), outflow.request) as object | undefined
  const sent = await tools.senders[outflow.kind](tx, outflow, request ?? {}, id)
  await actFor(tx, outflow.environmentId)
  await endOutflow(tx, outflow, 'done', at)
  // Counts towards the day on which it is sent, not the day of its request.
  await takeFromHour(tx, outflow)
  await addToHour(tx, outflow.environmentId, hourOf(at), outflow.homeAmount)
  if (hasTransaction(outflow)) await moveTransaction(tx, outflow, 'COMPLETED', at, id)
  if (sent === undefined) return
  const holds: HoldAct[] = [
    { act: 'settle', holdId: outflow.id, account: accountOf(outflow), amount: outflow.amount },
    ...(sent.holds ?? []),
  ]
  const identity = { id, kind: journalKinds[outflow.kind], key: `outflow/${outflow.id}/send`, requestFingerprint: '' }
  await postWithin(tx, { ...identity, alternatives: [{ ...sent, holds }] }, tools)
}

/** Cancels a waiting outflow and releases its amount. */
export async function cancelOutflow(
  tools: OutflowTools,
  environmentId: string,
  by: OutflowName,
  reason: 'withdrawn' | 'expired',
): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    const outflow = await lockWaiting(tx, environmentId, by)
    const at = tools.clock()
    await endOutflow(tx, outflow, 'cancelled', at)
    await takeFromHour(tx, outflow)
    if (hasTransaction(outflow)) await moveTransaction(tx, outflow, 'CANCELED', at)
    const currency = await findCurrency(tx, outflow.currency, 'any')
    const { id, reference, kind, amount } = outflow
    const data = { outflowId: id, reference, kind, amount: formatMoney({ minor: amount, currency }), reason }
    const about = { id, sequence: 2 }
    const events = [outflowEvent('outflow.canceled', { environmentId, about }, { ...data, currency: currency.code })]
    // The ledger releases an expired hold by itself.
    if (!isHeld(outflow) || outflow.heldUntil <= at) return publishEvents(tx, events, tools)
    const hold: HoldAct = { act: 'release', holdId: id, account: accountOf(outflow) }
    const identity = {
      id: tools.newId(),
      kind: 'outflow.release',
      key: `outflow/${id}/release`,
      requestFingerprint: '',
    }
    await postWithin(tx, { ...identity, alternatives: [{ transfers: [], holds: [hold], events }] }, tools)
  })
}

/** A replacement holds nothing: the value stays on the old voucher until it is replaced. */
function isHeld({ kind }: Outflow): boolean {
  return kind !== 'replacement'
}

/** The rows of a payout file have transactions of their own. */
function hasTransaction({ kind }: Outflow): boolean {
  return kind !== 'replacement' && kind !== 'payout_batch'
}

function accountOf({ environmentId, bookId }: Outflow): Account {
  return { bookId, ownerId: environmentId, kind: 'merchant' }
}

const atOnce = 100

/** Sends outflows whose wait is over, and cancels those that were not approved in time. */
export function createFinishOutflows(tools: FinishTools): () => Promise<boolean> {
  const { pool, clock } = tools
  return processDue(clock, atOnce, dueBy(pool, 'due_outflows'), async ({ environmentId, id }) => {
    try {
      const isOver = await inTransaction(pool, async (tx) => {
        const outflow = await lockWaiting(tx, environmentId, { id })
        if (outflow.heldUntil <= clock()) return true
        await sendNow(tools, tx, outflow)
        return false
      })
      if (isOver) await cancelOutflow(tools, environmentId, { id }, 'expired')
    } catch (error) {
      // Another worker or an approver was first.
      if (!hasCode(error, 'OUTFLOW_ENDED')) throw error
    }
  })
}

/** The owner of an outflow, with the staff member who requested it. */
export async function requesterOf(tx: Tx, { environmentId, requestedBy }: Outflow): Promise<Owner> {
  const owner = await findOwner(tx, environmentId)
  return requestedBy === null ? owner : { ...owner, memberId: requestedBy }
}
