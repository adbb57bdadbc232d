import { inTransaction, type Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import type { Account, AccountState } from '../../ledger/account.ts'
import { postWithin } from '../../ledger/batch.ts'
import type { Document } from '../../ledger/document.ts'
import type { Event } from '../../ledger/event.ts'
import type { Journal } from '../../ledger/journal.ts'
import { lockAccountsOf } from '../../ledger/lock.ts'
import { setAccountState } from '../../ledger/store.ts'
import { adjustmentDocument } from '../../payments/transaction/store.ts'
import { voucherError } from '../code/errors.ts'
import { isBeingSent, requestClosing } from '../voucher/onchain-store.ts'
import { returned } from '../../payments/wallet/store.ts'
import { moveDocument, type MoveKind } from '../voucher/history-store.ts'
import { lockVoucher, type Voucher, voucherAccount } from '../voucher/store.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { lifecycleError } from './errors.ts'

/** Runs `work` with a locked voucher that the environment issued. */
export function withOwnVoucher<T>(
  { pool, clock }: PostTools,
  environmentId: string,
  id: string,
  work: (tx: Tx, voucher: Voucher) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await actFor(tx, environmentId)
    const voucher = await lockVoucher(tx, id, clock())
    if (voucher?.environmentId !== environmentId) throw lifecycleError('VOUCHER_UNKNOWN')
    return work(tx, voucher)
  })
}

/**
 * An onchain voucher can be cancelled or replaced once its vault has returned what was left of it, or its holder could redeem it there in
 * the meantime. Starts that, and refuses until then.
 */
export async function refuseOnchain(
  tools: PostTools,
  environmentId: string,
  id: string,
  closing: 'cancel' | 'replacement',
  check: (tx: Tx, voucher: Voucher) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const isOnchain = await withOwnVoucher(tools, environmentId, id, async (tx, voucher) => {
    if (!voucher.isOnchain) return false
    await check(tx, voucher)
    await requestClosing(tx, id, closing)
    return true
  })
  if (isOnchain) throw voucherError('VOUCHER_CLOSING')
}

/** Refuses cancelled and replaced vouchers, which are closed for good. */
export function refuseClosed({ state, replacedBy }: Voucher): void {
  if (replacedBy !== null) throw lifecycleError('VOUCHER_REPLACED')
  if (state === 'closed') throw voucherError('VOUCHER_CANCELLED')
}

/**
 * Locks the voucher's account against redemptions and reads it again. Locks all accounts of the posting together to
 * avoid deadlocks.
 */
export async function lockBalance(
  { clock }: PostTools,
  tx: Tx,
  voucher: Voucher,
  others: readonly Account[] = [],
): Promise<Voucher> {
  await lockAccountsOf(tx, [voucherAccount(voucher), ...others])
  return (await lockVoucher(tx, voucher.id, clock())) ?? voucher
}

type Move = {
  readonly kind: MoveKind
  readonly to: Account
  /** The state of the voucher afterwards. */
  readonly state: AccountState
  readonly reason: string
  readonly identity: Pick<Journal, 'id' | 'key' | 'requestFingerprint'>
  readonly documents?: readonly Document[]
  readonly events: readonly Event[]
}

/**
 * Moves the whole balance of a voucher, whatever its state, and returns the amount. The caller has locked the
 * voucher, so that no other transaction sees it open in between. Throws if a pending payment has reserved part of it.
 */
export async function moveOut(tools: PostTools, tx: Tx, voucher: Voucher, move: Move): Promise<bigint> {
  const { to, kind, reason, identity, state, documents = [], events } = move
  const account = voucherAccount(voucher)
  const { balance, available } = await lockBalance(tools, tx, voucher, [to])
  if (available !== balance || (await isBeingSent(tx, voucher.id))) throw lifecycleError('VOUCHER_HELD')
  if (balance > 0n) {
    if (voucher.state === 'no_debit') await setAccountState(tx, account, 'open')
    const { environmentId, bookId, id: voucherId } = voucher
    const { id } = identity
    const moved = moveDocument({ voucherId, id, environmentId, kind, amount: balance, reason })
    // A credit to the issuer's balance is listed among its transactions.
    const adjustment = { environmentId, id, bookId, amount: balance, metadata: voucherId }
    const adjusted = to.kind === 'merchant' ? [adjustmentDocument(adjustment)] : returned(to, id, balance)
    const posting = { transfers: [{ from: account, to, amount: balance }], open: [to], events }
    const alternatives = [{ ...posting, documents: [moved, ...adjusted, ...documents] }] as const
    await postWithin(tx, { ...identity, kind: `voucher.${kind}`, alternatives }, tools)
  }
  if (state !== 'open' || voucher.state === 'no_debit') await setAccountState(tx, account, state)
  return balance
}
