import type { Db } from '../base/db.ts'
import { selectValue } from '../base/sql.ts'
import { exchangeAccount } from '../ledger/exchange.ts'
import { exchangeError } from './errors.ts'

/**
 * Refuses an amount above the exposure limit of a desk, before a customer pays for it elsewhere. This is an early
 * check only: the ledger enforces the limit when it posts.
 */
export async function refuseAboveDesk(db: Db, ownerId: string, bookId: number, amount: bigint): Promise<void> {
  const { kind } = exchangeAccount(ownerId, bookId)
  const room = await selectValue<bigint | null>(db)`
    select ledger_desk_limit(${bookId}::smallint) + coalesce((
      select balance from ledger_accounts where owner_id = ${ownerId} and kind = ${kind} and book_id = ${bookId}), 0)`
  if (room !== null && room !== undefined && amount > room)
    throw exchangeError('EXCHANGE_LIMIT_REACHED', { param: 'amount' })
}
