import type { Tx } from '../base/db.ts'
import { selectValue } from '../base/sql.ts'
import { findCurrency } from '../currency/store.ts'
import type { PostTools } from '../ledger/batch.ts'
import { tell } from '../ledger/store.ts'
import { toToldTransaction } from '../transaction/events.ts'
import { moveTransaction } from '../transaction/store.ts'
import { aboutOf } from './book.ts'
import { depositEvent } from './events.ts'
import { lockDeposit, saveProgress } from './store.ts'

/** Ends a deposit that nothing was paid for. Returns false if something was, final or not. */
export async function cancelUnpaidDeposit(tools: PostTools, tx: Tx, id: string): Promise<boolean> {
  const deposit = await lockDeposit(tx, id)
  if (deposit === undefined) return false
  const isPaid = await selectValue<boolean>(tx)`
    select exists (select from chain_payments where owner_id = ${id} and gone_at is null)`
  if (isPaid === true) return false
  if (deposit.endedAt !== null) return true
  const at = tools.clock()
  await saveProgress(tx, id, { ...deposit, endedAt: at })
  await moveTransaction(tx, deposit, 'CANCELED', at)
  const currency = await findCurrency(tx, deposit.currency, 'any')
  await tell(tx, [depositEvent('deposit.canceled', aboutOf(deposit, 2), toToldTransaction(deposit, currency))], tools)
  return true
}
