import type { Tx } from '../../base/db.ts'
import { selectValue, sql } from '../../base/sql.ts'
import type { PostTools } from '../../ledger/batch.ts'
import type { Event } from '../../ledger/event.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { moveTransaction } from '../transaction/store.ts'
import { aboutOf, depositEvent } from './events.ts'
import { toDepositPayload } from './payload.ts'
import { type Deposit, lockDeposit, saveProgress } from './store.ts'

/** Cancels a deposit without payments. Returns false if it has any, confirmed or not. */
export async function cancelUnpaidDeposit(tools: PostTools, tx: Tx, id: string): Promise<boolean> {
  const deposit = await lockDeposit(tx, id)
  if (deposit === undefined) return false
  const isPaid = await selectValue(tx)`
    select ${sql.boolean`exists (select from chain_payments where owner_id = ${id} and gone_at is null)`}`
  if (isPaid === true) return false
  if (deposit.endedAt !== null) return true
  await publishEvents(tx, [await endUnpaid(tools, tx, deposit, 'CANCELED')], tools)
  return true
}

/**
 * Ends an open deposit, which the caller has locked. One with a payment that a reorganisation removed can only fail. Returns the
 * event to publish.
 */
export async function endUnpaid(
  { clock }: PostTools,
  tx: Tx,
  deposit: Deposit,
  wanted: 'CANCELED' | 'FAILED',
): Promise<Event> {
  const at = clock()
  const status = deposit.status === 'PROCESSING' ? 'FAILED' : wanted
  await saveProgress(tx, deposit.id, { ...deposit, endedAt: at })
  await moveTransaction(tx, deposit, status, at)
  const data = { ...(await toDepositPayload(tx, deposit)), status }
  return depositEvent('deposit.canceled', aboutOf(deposit, 2), data)
}
