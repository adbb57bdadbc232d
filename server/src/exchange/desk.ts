import type { Db } from '../base/db.ts'
import { selectValue } from '../base/sql.ts'
import { exchangeAccount } from '../ledger/exchange.ts'
import { exchangeError } from './errors.ts'

/**
 * Refuses what would take a desk past its exposure limit, before a customer pays for it elsewhere. Posting enforces the limit; this
 * only says so early.
 */
export async function refuseAboveDesk(db: Db, ownerId: string, bookId: number, amount: bigint): Promise<void> {
  const { kind } = exchangeAccount(ownerId, bookId)
  const room = await selectValue<bigint | null>(db)`
    select ledger_desk_limit(${bookId}::smallint) + coalesce((
      select balance from ledger_accounts where owner_id = ${ownerId} and kind = ${kind} and book_id = ${bookId}), 0)`
  if (room !== null && room !== undefined && amount > room)
    throw exchangeError('EXCHANGE_LIMIT_REACHED', { param: 'amount' })
}
