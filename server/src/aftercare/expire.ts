import { inTransaction } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { hasCode } from '../base/errors.ts'
import { sweepDue } from '../base/sweep.ts'
import type { Account } from '../ledger/account.ts'
import { postWithin } from '../ledger/batch.ts'
import { tell } from '../ledger/store.ts'
import { findCurrency } from '../currency/store.ts'
import { admitAtOnce } from '../outflow/request.ts'
import { adjustmentDocument } from '../transaction/store.ts'
import { voucherEvent } from '../voucher/events.ts'
import { isExpired, reopenedUntil } from '../voucher/expiry.ts'
import { moveDocument } from '../voucher/history-store.ts'
import { lockVoucher, payerAccount, setExpiry, type Voucher, voucherAccount } from '../voucher/store.ts'
import type { PostTools } from '../ledger/batch.ts'
import { aftercareError } from './errors.ts'
import { moveOut, refuseClosed, withOwnVoucher } from './move-out.ts'
import { findDueVouchers, findExpired } from './store.ts'

const dueAtOnce = 100

/** Moves what is left on vouchers past their time to where their issuer said it would go. Says whether there may be more. */
export function createExpireVouchers(tools: PostTools): () => Promise<boolean> {
  const find = (at: Date, resting: string[], limit: number) => findDueVouchers(tools.pool, at, resting, limit)
  return sweepDue(tools.clock, dueAtOnce, find, ({ id }) => expireVoucher(tools, id))
}

async function expireVoucher(tools: PostTools, id: string): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    const at = tools.clock()
    const voucher = await lockVoucher(tx, id, at)
    // Somebody else was first: another worker, or a refund that has reopened it.
    if (voucher?.expiresAt == null || voucher.expiresAt > at || voucher.expiredAt !== null) return
    const { environmentId } = voucher
    await actFor(tx, environmentId)
    const told = { environmentId, about: voucherAccount(voucher) }
    const events = [voucherEvent('voucher.expired', told, { voucherId: id, to: voucher.expiredTo })]
    const identity = { id: tools.newId(), key: `voucher.expire/${id}/${voucher.expiresAt.getTime()}`, asked: '' }
    const { state } = voucher
    const move = { kind: 'expiry', to: heirOf(voucher), state, reason: '', identity, events } as const
    let moved: bigint
    try {
      moved = await moveOut(tools, tx, voucher, move)
    } catch (error) {
      // Reserved since it was found. It is due until it is not.
      if (hasCode(error, 'VOUCHER_HELD')) return
      throw error
    }
    await setExpiry(tx, voucher, voucher.expiresAt, { at, hadValue: moved > 0n })
  })
}

/** Who has what was left on it when it expired. */
export function heirOf(voucher: Voucher): Account {
  const { bookId, environmentId, expiredTo } = voucher
  return expiredTo === 'payer' ? payerAccount(voucher) : { bookId, ownerId: environmentId, kind: 'unclaimed' }
}

/** Puts back what an expired voucher had, for thirty days: its holder came late, and its issuer is kind. */
export async function reopenVoucher(tools: PostTools, environmentId: string, id: string): Promise<void> {
  await withOwnVoucher(tools, environmentId, id, async (tx, voucher) => {
    refuseClosed(voucher)
    const at = tools.clock()
    if (!isExpired(voucher, at)) throw aftercareError('VOUCHER_NOT_EXPIRED')
    await setExpiry(tx, voucher, reopenedUntil(at), undefined)
    const told = { environmentId, about: voucherAccount(voucher) }
    const events = [voucherEvent('voucher.reopened', told, { voucherId: id })]
    const gone = await findExpired(tx, voucher)
    if (gone === undefined || gone.amount === 0n) {
      await tell(tx, events, tools)
      return
    }
    const { amount } = gone
    await admitAtOnce(tools, tx, environmentId, { amount, currency: await findCurrency(tx, voucher.currency, 'any') })
    const journalId = tools.newId()
    const from = heirOf(voucher)
    const moved = moveDocument({ voucherId: id, id: journalId, environmentId, kind: 'reopening', amount })
    const { bookId } = voucher
    const adjustment = adjustmentDocument({ environmentId, id: journalId, bookId, amount, metadata: id })
    const documents = from.kind === 'merchant' ? [moved, adjustment] : [moved]
    const transfers = [{ from, to: voucherAccount(voucher), amount }]
    const identity = { id: journalId, kind: 'voucher.reopen', key: `voucher.reopen/${gone.lastId}`, asked: '' }
    await postWithin(tx, { ...identity, alternatives: [{ transfers, documents, events }] }, tools).catch(
      (error: unknown) => {
        throw hasCode(error, 'LEDGER_INSUFFICIENT') ? aftercareError('REOPEN_BALANCE_TOO_LOW', {}, error) : error
      },
    )
  })
}
