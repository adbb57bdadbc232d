import type { Db } from '../../base/db.ts'
import { orNull } from '../../base/column-type.ts'
import { selectValue, sql } from '../../base/sql.ts'
import { exchangeAccount } from '../../ledger/exchange.ts'
import { exchangeError } from './errors.ts'

/**
 * Refuses an amount above the exposure limit of a desk, before a customer pays for it elsewhere. This is an early
 * check only: the ledger enforces the limit when it posts.
 */
export async function refuseAboveDesk(db: Db, ownerId: string, bookId: number, amount: bigint): Promise<void> {
  const { kind } = exchangeAccount(ownerId, bookId)
  const left = orNull(sql.numeric)`
    ledger_desk_limit(${bookId}::smallint) + coalesce((
      select balance from ledger_accounts where owner_id = ${ownerId} and kind = ${kind} and book_id = ${bookId}), 0)`
  const room = await selectValue(db)`select ${left}`
  if (room !== null && room !== undefined && amount > room)
    throw exchangeError('EXCHANGE_LIMIT_REACHED', { param: 'amount' })
}
