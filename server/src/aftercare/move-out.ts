import { inTransaction, type Tx } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import type { Account, AccountState } from '../ledger/account.ts'
import { postWithin } from '../ledger/batch.ts'
import type { Document } from '../ledger/document.ts'
import type { Event } from '../ledger/event.ts'
import type { Journal } from '../ledger/journal.ts'
import { lockAccountsOf, setAccountState } from '../ledger/store.ts'
import { adjustmentDocument } from '../transaction/store.ts'
import { voucherError } from '../voucher/errors.ts'
import { returned } from '../wallet/store.ts'
import { moveDocument, type MoveKind } from '../voucher/history-store.ts'
import { lockVoucher, type Voucher, voucherAccount } from '../voucher/store.ts'
import type { PostTools } from '../ledger/batch.ts'
import { aftercareError } from './errors.ts'

/** Works on a voucher that the environment has issued and that is alive, under its lock. */
export function withOwnVoucher<T>(
  { pool, clock }: PostTools,
  environmentId: string,
  id: string,
  work: (tx: Tx, voucher: Voucher) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await actFor(tx, environmentId)
    const voucher = await lockVoucher(tx, id, clock())
    if (voucher?.environmentId !== environmentId) throw aftercareError('VOUCHER_UNKNOWN')
    return work(tx, voucher)
  })
}

/** One that was cancelled or replaced is closed for good. */
export function refuseClosed({ state, replacedBy }: Voucher): void {
  if (replacedBy !== null) throw aftercareError('VOUCHER_REPLACED')
  if (state === 'closed') throw voucherError('VOUCHER_CANCELLED')
}

/** The voucher as it is while nobody can redeem it. All accounts that will be touched are locked together, or two could wait for each other. */
export async function holdStill({ clock }: PostTools, tx: Tx, voucher: Voucher, others: readonly Account[] = []) {
  await lockAccountsOf(tx, [voucherAccount(voucher), ...others])
  return (await lockVoucher(tx, voucher.id, clock())) ?? voucher
}

type Move = {
  readonly kind: MoveKind
  readonly to: Account
  /** What the voucher is afterwards. */
  readonly state: AccountState
  readonly reason: string
  readonly identity: Pick<Journal, 'id' | 'key' | 'asked'>
  readonly documents?: readonly Document[]
  readonly events: readonly Event[]
}

/**
 * Moves all that is on a voucher, whatever its state, and tells how much that was. The voucher is locked by the caller, so that nobody
 * sees it open in between. What a payment under way has reserved stays where it is: then nothing is moved at all.
 */
export async function moveOut(tools: PostTools, tx: Tx, voucher: Voucher, move: Move): Promise<bigint> {
  const { to, kind, reason, identity, state, documents = [], events } = move
  const account = voucherAccount(voucher)
  const { balance, available } = await holdStill(tools, tx, voucher, [to])
  if (available !== balance) throw aftercareError('VOUCHER_HELD')
  if (balance > 0n) {
    if (voucher.state === 'no_debit') await setAccountState(tx, account, 'open')
    const { environmentId, bookId, id: voucherId } = voucher
    const { id } = identity
    const moved = moveDocument({ voucherId, id, environmentId, kind, amount: balance, reason })
    // What comes to the issuer's balance is among its transactions.
    const adjustment = { environmentId, id, bookId, amount: balance, metadata: voucherId }
    const adjusted = to.kind === 'merchant' ? [adjustmentDocument(adjustment)] : returned(to, id, balance)
    const posting = { transfers: [{ from: account, to, amount: balance }], open: [to], events }
    const alternatives = [{ ...posting, documents: [moved, ...adjusted, ...documents] }] as const
    await postWithin(tx, { ...identity, kind: `voucher.${kind}`, alternatives }, tools)
  }
  if (state !== 'open' || voucher.state === 'no_debit') await setAccountState(tx, account, state)
  return balance
}
