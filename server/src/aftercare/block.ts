import { lockAccountsOf, setAccountState, tell } from '../ledger/store.ts'
import { voucherEvent } from '../voucher/events.ts'
import type { KeyRing } from '../voucher/key-ring.ts'
import { renewPin } from '../voucher/pin-store.ts'
import { voucherAccount } from '../voucher/store.ts'
import type { PostTools } from '../ledger/batch.ts'
import { aftercareError } from './errors.ts'
import { refuseClosed, withOwnVoucher } from './move-out.ts'

/** Keeps everybody from redeeming a voucher, or lets them again. Refunds still reach it. */
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
    const type = isBlocked ? 'voucher.blocked' : 'voucher.unblocked'
    await tell(tx, [voucherEvent(type, { environmentId, about: account }, { voucherId: id })], tools)
  })
}

/** Forgets wrong pins, also ten of them, and sets another pin if one is given. */
export async function resetPin(
  tools: PostTools & { readonly keyRing: KeyRing },
  environmentId: string,
  { id, lockPin }: { id: string; lockPin: string | undefined },
): Promise<void> {
  await withOwnVoucher(tools, environmentId, id, async (tx, voucher) => {
    refuseClosed(voucher)
    if (!voucher.hasPin) throw aftercareError('VOUCHER_NOT_LOCKED')
    await renewPin(tx, id, lockPin === undefined ? undefined : tools.keyRing.pinDigest(id, lockPin))
    const to = { environmentId, about: voucherAccount(voucher) }
    await tell(tx, [voucherEvent('voucher.pin_reset', to, { voucherId: id })], tools)
  })
}
