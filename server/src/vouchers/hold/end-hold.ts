import { inTransaction, type Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { postWithin, type PostTools } from '../../ledger/batch.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { lockVoucher, type Voucher } from '../voucher/store.ts'
import { holdError } from './errors.ts'
import { holdChanged } from './events.ts'
import { explainRefusal, refuseEnded, releaseActs, reservedBy, stateOf } from './reserved.ts'
import { lockHold, saveHold, type VoucherHold } from './store.ts'

/** Runs `work` with a locked hold of the environment, and then its locked voucher: the order of every change. */
export async function withHold(
  { pool, clock }: PostTools,
  environmentId: string,
  id: string,
  work: (tx: Tx, hold: VoucherHold, voucher: Voucher) => Promise<VoucherHold>,
): Promise<VoucherHold> {
  try {
    return await inTransaction(pool, async (tx) => {
      await actFor(tx, environmentId)
      const hold = await lockHold(tx, environmentId, id)
      if (hold === undefined) throw holdError('VOUCHER_HOLD_NOT_FOUND')
      const voucher = await lockVoucher(tx, hold.voucherId, clock())
      if (voucher === undefined) throw new Error('A held voucher is missing.')
      return work(tx, hold, voucher)
    })
  } catch (error) {
    throw explainRefusal(error)
  }
}

/** Makes what was not captured available on the voucher again. Safe to retry. */
export async function releaseHold(tools: PostTools, environmentId: string, id: string): Promise<VoucherHold> {
  return withHold(tools, environmentId, id, async (tx, hold, voucher) => {
    if (hold.state === 'RELEASED') return hold
    const at = tools.clock()
    refuseEnded(hold, at)
    return endNow(tools, tx, { ...hold, state: 'RELEASED', endedAt: at }, voucher)
  })
}

/** Lets a hold expire before its time, for tests of merchants. Safe to retry. */
export async function expireNow(tools: PostTools, environmentId: string, id: string): Promise<VoucherHold> {
  return withHold(tools, environmentId, id, async (tx, hold, voucher) => {
    const at = tools.clock()
    if (hold.state === 'EXPIRED') return hold
    if (stateOf(hold, at) === 'EXPIRED') return markExpired(tools, tx, hold)
    refuseEnded(hold, at)
    return endNow(tools, tx, { ...hold, state: 'EXPIRED', expiresAt: at, endedAt: at }, voucher)
  })
}

/** Marks a hold whose time is over. Does nothing if it has ended or was extended since it was found. */
export async function expireDue(tools: PostTools, environmentId: string, id: string): Promise<void> {
  await withHold(tools, environmentId, id, async (tx, hold) => {
    const isDue = hold.state === 'OPEN' && stateOf(hold, tools.clock()) === 'EXPIRED'
    return isDue ? markExpired(tools, tx, hold) : hold
  })
}

/** No journal: the ledger releases its own hold at the same time. */
async function markExpired(tools: PostTools, tx: Tx, hold: VoucherHold): Promise<VoucherHold> {
  const next: VoucherHold = { ...hold, state: 'EXPIRED', endedAt: tools.clock(), sequence: hold.sequence + 1 }
  await saveHold(tx, next)
  const currency = await findCurrency(tx, hold.currency, 'any')
  await publishEvents(tx, [holdChanged('voucher_hold.expired', next, currency)], tools)
  return next
}

async function endNow(tools: PostTools, tx: Tx, ended: VoucherHold, voucher: Voucher): Promise<VoucherHold> {
  const next = { ...ended, sequence: ended.sequence + 1 }
  await saveHold(tx, next)
  const currency = await findCurrency(tx, next.currency, 'any')
  const type = next.state === 'EXPIRED' ? 'voucher_hold.expired' : 'voucher_hold.released'
  const holds = releaseActs(reservedBy(next, voucher))
  const posting = { transfers: [], holds, events: [holdChanged(type, next, currency)] }
  const identity = {
    id: tools.newId(),
    kind: 'voucher_hold.release',
    key: `voucher_hold.release/${next.id}`,
    requestFingerprint: '',
  }
  await postWithin(tx, { ...identity, alternatives: [posting] }, tools)
  return next
}
