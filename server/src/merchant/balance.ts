import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { findCurrency } from '../currency/store.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { findBook } from '../ledger/book.ts'
import { readAvailable } from '../ledger/store.ts'
import { readProfile } from './store.ts'

/** What the merchant can dispose of: its balance less what is held. An account that was never used has nothing. */
export async function readMerchantBalance(
  pool: Pool,
  { merchantId, environmentId, mode }: MerchantCaller,
  code: string,
  clock: Clock,
) {
  const currency = await findCurrency(pool, code, 'any')
  const bookId = await findBook(pool, mode, code)
  const minor =
    bookId === undefined ? 0n : await readAvailable(pool, { bookId, ownerId: environmentId, kind: 'merchant' }, clock())
  return { available: minor, currency, profile: await readProfile(pool, merchantId) }
}
