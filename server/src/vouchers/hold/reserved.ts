import { hasCode } from '../../base/errors.ts'
import { adminAccount } from '../../catalogue/charge/admin-balance.ts'
import type { Account } from '../../ledger/account.ts'
import { LedgerRefusal } from '../../ledger/errors.ts'
import type { HoldAct } from '../../ledger/journal.ts'
import { voucherError } from '../code/errors.ts'
import { type Voucher, voucherAccount } from '../voucher/store.ts'
import { holdError } from './errors.ts'
import type { VoucherHold } from './store.ts'
import type { HoldState } from './wire.ts'

/** The longest that a hold lasts from its creation, with all extensions. */
export const lifeSecondsMax = 7 * 24 * 3_600

/** The state now: a hold whose time is over has expired, also if the job has not marked it yet. */
export function stateOf({ state, expiresAt }: VoucherHold, at: Date): HoldState {
  return state === 'OPEN' && expiresAt <= at ? 'EXPIRED' : state
}

export function refuseEnded(hold: VoucherHold, at: Date): void {
  const state = stateOf(hold, at)
  if (state === 'EXPIRED') throw holdError('VOUCHER_HOLD_EXPIRED')
  if (state !== 'OPEN') throw holdError('VOUCHER_HOLD_ENDED')
}

export type Reserved = {
  readonly holdId: string
  readonly account: Account
  /** What the capture of the rest would take. Above 0. */
  readonly amount: bigint
}

/** What a hold reserves while it is open: the rest of its amount, and the rest of its fee with whoever pays it. */
export function reservedBy(hold: VoucherHold, voucher: Pick<Voucher, 'id' | 'bookId' | 'isStore'>): Reserved[] {
  const fee = hold.charge - hold.capturedCharge
  const amount = onVoucher(hold)
  const account = voucherAccount(voucher)
  const reserved = [{ holdId: hold.ledgerHoldId, account, amount }]
  if (hold.feeHoldId !== null)
    reserved.push({ holdId: hold.feeHoldId, account: adminAccount(hold.environmentId, hold.bookId), amount: fee })
  // A hold of the ledger that is settled wholly cannot be released.
  return reserved.filter((each) => each.amount > 0n)
}

/** What the rest of a hold takes from the voucher. */
export function onVoucher({ amount, captured, charge, capturedCharge, chargedTo }: VoucherHold): bigint {
  return amount - captured + (chargedTo === 'voucher' ? charge - capturedCharge : 0n)
}

export function releaseActs(reserved: readonly Reserved[]): HoldAct[] {
  return reserved.map(({ holdId, account }) => ({ act: 'release', holdId, account }))
}

export function reserveActs(reserved: readonly Reserved[], expiresAt: Date): HoldAct[] {
  return reserved.map((each) => ({ act: 'reserve', ...each, expiresAt }))
}

/** Maps refusals of the ledger to errors of holds. */
export function explainRefusal(error: unknown): unknown {
  // The ledger has its own clock reading, and releases what has expired before it posts.
  if (hasCode(error, 'LEDGER_HOLD_DEAD')) return holdError('VOUCHER_HOLD_EXPIRED', {}, error)
  // A voucher is closed only when nothing of it is held: the time of this hold was over while the request waited for the voucher.
  if (hasCode(error, 'LEDGER_ACCOUNT_CLOSED')) return holdError('VOUCHER_HOLD_EXPIRED', {}, error)
  const account = error instanceof LedgerRefusal ? error.facts.account : undefined
  if (account !== undefined && hasCode(error, 'LEDGER_ACCOUNT_NO_DEBIT'))
    return voucherError('VOUCHER_BLOCKED', {}, error)
  return error
}
