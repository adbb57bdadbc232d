import { inTransaction } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { hasCode } from '../../base/errors.ts'
import { processDue } from '../../base/jobs.ts'
import type { Account } from '../../ledger/account.ts'
import { postWithin } from '../../ledger/batch.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { admitAtOnce } from '../../payments/outflow/request.ts'
import { adjustmentDocument } from '../../payments/transaction/store.ts'
import { voucherError } from '../code/errors.ts'
import { voucherEvent } from '../voucher/events.ts'
import { isExpired, reopenedUntil } from '../voucher/expiry.ts'
import { moveDocument } from '../voucher/history-store.ts'
import { lockVoucher, payerAccount, setExpiry, type Voucher, voucherAccount } from '../voucher/store.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { lifecycleError } from './errors.ts'
import { moveOut, refuseClosed, withOwnVoucher } from './move-out.ts'
import { findDueVouchers, findExpired } from './store.ts'

const dueAtOnce = 100

/**
 * Moves the balances of expired vouchers to the accounts that their issuers chose. Returns whether there may be more.
 */
export function createExpireVouchers(tools: PostTools): () => Promise<boolean> {
  const find = (at: Date, resting: string[], limit: number) => findDueVouchers(tools.pool, at, resting, limit)
  return processDue(tools.clock, dueAtOnce, find, ({ id }) => expireVoucher(tools, id))
}

async function expireVoucher(tools: PostTools, id: string): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    const at = tools.clock()
    const voucher = await lockVoucher(tx, id, at)
    // Another worker expired it, or a refund reopened it.
    if (voucher?.expiresAt == null || voucher.expiresAt > at || voucher.expiredAt !== null) return
    const { environmentId } = voucher
    await actFor(tx, environmentId)
    const to = { environmentId, about: voucherAccount(voucher) }
    const events = [voucherEvent('voucher.expired', to, { voucherId: id, to: voucher.expiredTo })]
    const identity = {
      id: tools.newId(),
      key: `voucher.expire/${id}/${voucher.expiresAt.getTime()}`,
      requestFingerprint: '',
    }
    const { state } = voucher
    const move = { kind: 'expiry', to: expiryAccount(voucher), state, reason: '', identity, events } as const
    let moved: bigint
    try {
      moved = await moveOut(tools, tx, voucher, move)
    } catch (error) {
      // A payment reserved part of it since. The next run tries again.
      if (hasCode(error, 'VOUCHER_HELD')) return
      throw error
    }
    await setExpiry(tx, voucher, voucher.expiresAt, { at, hadValue: moved > 0n })
  })
}

/** The account that gets the balance of an expired voucher. */
export function expiryAccount(voucher: Voucher): Account {
  const { bookId, environmentId, expiredTo, isStore } = voucher
  // A shop no longer owes what expired on its store voucher.
  return isStore || expiredTo === 'payer'
    ? payerAccount(voucher)
    : { bookId, ownerId: environmentId, kind: 'unclaimed' }
}

/** Restores the balance of an expired voucher for 30 days, at the issuer's request. */
export async function reopenVoucher(tools: PostTools, environmentId: string, id: string): Promise<void> {
  await withOwnVoucher(tools, environmentId, id, async (tx, voucher) => {
    refuseClosed(voucher)
    const at = tools.clock()
    if (!isExpired(voucher, at)) throw lifecycleError('VOUCHER_NOT_EXPIRED')
    if (voucher.isOnchain) throw voucherError('VOUCHER_CLOSING')
    await setExpiry(tx, voucher, reopenedUntil(at), undefined)
    const to = { environmentId, about: voucherAccount(voucher) }
    const events = [voucherEvent('voucher.reopened', to, { voucherId: id })]
    const expired = await findExpired(tx, voucher)
    if (expired === undefined || expired.amount === 0n) {
      await publishEvents(tx, events, tools)
      return
    }
    const { amount } = expired
    await admitAtOnce(tools, tx, environmentId, { amount, currency: await findCurrency(tx, voucher.currency, 'any') })
    const journalId = tools.newId()
    const from = expiryAccount(voucher)
    const moved = moveDocument({ voucherId: id, id: journalId, environmentId, kind: 'reopening', amount })
    const { bookId } = voucher
    const adjustment = adjustmentDocument({ environmentId, id: journalId, bookId, amount, metadata: id })
    const documents = from.kind === 'merchant' ? [moved, adjustment] : [moved]
    const transfers = [{ from, to: voucherAccount(voucher), amount }]
    const identity = {
      id: journalId,
      kind: 'voucher.reopen',
      key: `voucher.reopen/${expired.lastId}`,
      requestFingerprint: '',
    }
    await postWithin(tx, { ...identity, alternatives: [{ transfers, documents, events }] }, tools).catch(
      (error: unknown) => {
        throw hasCode(error, 'LEDGER_INSUFFICIENT') ? lifecycleError('REOPEN_BALANCE_TOO_LOW', {}, error) : error
      },
    )
  })
}
