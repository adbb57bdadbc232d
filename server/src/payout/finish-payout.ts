import { inTransaction, type Tx } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { hasCode } from '../base/errors.ts'
import { dueBy, sweepDue } from '../base/sweep.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { type PostTools, postWithin } from '../ledger/batch.ts'
import type { HoldAct } from '../ledger/journal.ts'
import { tell } from '../ledger/store.ts'
import { moveTransaction } from '../transaction/store.ts'
import { userError } from '../user/errors.ts'
import { findPeople } from '../user/store.ts'
import { payoutError } from './errors.ts'
import { payoutEvent } from './events.ts'
import { aboutOf, dataOf, merchantAccount, pay } from './postings.ts'
import { approve, endPayout, lockPayout, type Payout, takeFromDay } from './store.ts'

/** One that waits, locked. */
async function lockWaiting(
  tx: Tx,
  environmentId: string,
  by: { readonly id: string } | { readonly reference: string },
): Promise<Payout> {
  await actFor(tx, environmentId)
  const payout = await lockPayout(tx, environmentId, by)
  if (payout === undefined) throw payoutError('PAYOUT_NOT_FOUND')
  if (payout.endedAt !== null) throw payoutError('PAYOUT_ENDED', { status: payout.status })
  return payout
}

/** A second person of the staff has looked at it. It is paid now, or when its recipient is no longer new. */
export async function approvePayout(tools: PostTools, { environmentId, memberId }: MerchantCaller, reference: string) {
  await inTransaction(tools.pool, async (tx) => {
    const payout = await lockWaiting(tx, environmentId, { reference })
    if (payout.status !== 'PENDING') throw payoutError('PAYOUT_ENDED', { status: payout.status })
    if (memberId === undefined || memberId === payout.askedBy) throw payoutError('PAYOUT_SAME_PERSON')
    await approve(tx, payout, memberId)
    const at = tools.clock()
    if (payout.notBefore !== null && payout.notBefore > at) await moveTransaction(tx, payout, 'APPROVED', at)
    else await settle(tools, tx, payout)
  })
}

/** Frees what it held. */
export async function cancelPayout(
  tools: PostTools,
  environmentId: string,
  by: { readonly id: string } | { readonly reference: string },
  reason: 'withdrawn' | 'expired',
): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    const payout = await lockWaiting(tx, environmentId, by)
    const at = tools.clock()
    await endPayout(tx, payout, at)
    await takeFromDay(tx, payout)
    await moveTransaction(tx, payout, 'CANCELED', at)
    const events = [payoutEvent('payout.canceled', aboutOf(payout, 2), { ...(await dataOf(tx, payout)), reason })]
    // A hold past its time is given back by whoever touches the account next.
    if (payout.heldUntil !== null && payout.heldUntil <= at) {
      await tell(tx, events, tools)
      return
    }
    const hold: HoldAct = { act: 'release', holdId: payout.id, account: merchantAccount(payout) }
    const identity = { id: tools.newId(), kind: 'payout.release', key: `payout/${payout.id}/release`, asked: '' }
    await postWithin(tx, { ...identity, alternatives: [{ transfers: [], holds: [hold], events }] }, tools)
  })
}

async function settle(tools: PostTools, tx: Tx, payout: Payout): Promise<void> {
  const at = tools.clock()
  if (payout.heldUntil !== null && payout.heldUntil <= at) throw payoutError('PAYOUT_ENDED', { status: payout.status })
  // Who was switched off meanwhile gets nothing; it is cancelled when its time is over, or by hand.
  if ((await findPeople(tx, [payout.userId])).get(payout.userId)?.isActive !== true) throw userError('USER_NOT_FOUND')
  const id = tools.newId()
  await endPayout(tx, payout, at)
  await moveTransaction(tx, payout, 'COMPLETED', at, id)
  const posting = await pay(tools, tx, payout, id, 2)
  const { id: holdId, amount } = payout
  const holds: HoldAct[] = [{ act: 'settle', holdId, account: merchantAccount(payout), amount }]
  const identity = { id, kind: 'payout.settle', key: `payout/${payout.id}/settle`, asked: '' }
  await postWithin(tx, { ...identity, alternatives: [{ ...posting, holds }] }, tools)
}

const atOnce = 100

/** Pays what has waited long enough, and ends what waited too long. */
export function createFinishPayouts(tools: PostTools): () => Promise<boolean> {
  const { pool, clock } = tools
  return sweepDue(clock, atOnce, dueBy(pool, 'due_payouts'), async ({ environmentId, id }) => {
    try {
      const isOver = await inTransaction(pool, async (tx) => {
        const payout = await lockWaiting(tx, environmentId, { id })
        if (payout.heldUntil !== null && payout.heldUntil <= clock()) return true
        await settle(tools, tx, payout)
        return false
      })
      if (isOver) await cancelPayout(tools, environmentId, { id }, 'expired')
    } catch (error) {
      // Somebody was first.
      if (!hasCode(error, 'PAYOUT_ENDED')) throw error
    }
  })
}
