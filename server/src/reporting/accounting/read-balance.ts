import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { Owner } from '../../http/caller.ts'
import { readCursor } from '../../http/pages.ts'
import { findBook } from '../../ledger/book.ts'
import { firstIdAt } from '../../payments/transaction/store.ts'
import type { ReportAccount } from './accounts.ts'
import { reportError } from './errors.ts'
import { findVoucherValue, sumBefore } from './store.ts'

type AccountBalance = { readonly account: ReportAccount; readonly currency: string; readonly balance: bigint }

/** Above every journal until the end of this millisecond. Without a time above every journal. */
function idAfter(at: Date | undefined): string {
  return at === undefined ? readCursor(undefined) : firstIdAt(new Date(at.getTime() + 1))
}

/** The balance of an account of a merchant at a point in time, or now. */
export async function readBalance(
  pool: Pool,
  owner: Owner,
  { account, currency, at }: { account: ReportAccount; currency: string; at: Date | undefined },
  now: Date,
): Promise<AccountBalance> {
  return withEnvironment(pool, owner.environmentId, async (tx) => {
    const bookId = await findBook(tx, owner.mode, currency)
    if (bookId === undefined) return { account, currency, balance: 0n }
    const balance = await sumBefore(tx, owner, { account, bookId }, at ?? now, idAfter(at))
    return { account, currency, balance }
  })
}

/** The balance of a voucher that a merchant has issued, at a point in time or now. */
export async function readVoucherBalance(
  pool: Pool,
  { environmentId }: Owner,
  voucherId: string,
  at: Date | undefined,
): Promise<AccountBalance> {
  const found = await withEnvironment(pool, environmentId, (tx) =>
    findVoucherValue(tx, voucherId.toLowerCase(), idAfter(at)),
  )
  if (found === undefined) throw reportError('REPORT_VOUCHER_UNKNOWN', { param: 'voucherId' })
  const { currency, isStore, value } = found
  return { account: isStore ? 'store_vouchers' : 'platform_vouchers', currency, balance: value }
}
