import { publishEvents } from '../../ledger/outbox.ts'
import { lockAccountsOf } from '../../ledger/lock.ts'
import { setAccountState } from '../../ledger/store.ts'
import { voucherEvent } from '../voucher/events.ts'
import type { KeyRing } from '../code/key-ring.ts'
import { requestClosing } from '../voucher/onchain-store.ts'
import { renewPin } from '../voucher/pin-store.ts'
import { voucherAccount } from '../voucher/store.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { lifecycleError } from './errors.ts'
import { refuseClosed, withOwnVoucher } from './move-out.ts'

/** Blocks or unblocks a voucher. A blocked voucher cannot be redeemed but still receives refunds. */
export async function blockVoucher(
  tools: PostTools,
  environmentId: string,
  { id, isBlocked }: { id: string; isBlocked: boolean },
): Promise<void> {
  await withOwnVoucher(tools, environmentId, id, async (tx, voucher) => {
    refuseClosed(voucher)
    const state = isBlocked ? 'no_debit' : 'open'
    if (voucher.state === state) return
    const account = voucherAccount(voucher)
    await lockAccountsOf(tx, [account])
    await setAccountState(tx, account, state)
    // The till refuses it at once, its network when the closing is final.
    if (isBlocked && voucher.isOnchain) await requestClosing(tx, id, 'block')
    const type = isBlocked ? 'voucher.blocked' : 'voucher.unblocked'
    await publishEvents(tx, [voucherEvent(type, { environmentId, about: account }, { voucherId: id })], tools)
  })
}

/** Clears wrong PIN attempts, which unfreezes the voucher, and sets a new PIN if one is given. */
export async function resetPin(
  tools: PostTools & { readonly keyRing: KeyRing },
  environmentId: string,
  { id, lockPin }: { id: string; lockPin: string | undefined },
): Promise<void> {
  await withOwnVoucher(tools, environmentId, id, async (tx, voucher) => {
    refuseClosed(voucher)
    if (!voucher.hasPin) throw lifecycleError('VOUCHER_NOT_LOCKED')
    await renewPin(tx, id, lockPin === undefined ? undefined : tools.keyRing.pinDigest(id, lockPin))
    const to = { environmentId, about: voucherAccount(voucher) }
    await publishEvents(tx, [voucherEvent('voucher.pin_reset', to, { voucherId: id })], tools)
  })
}
