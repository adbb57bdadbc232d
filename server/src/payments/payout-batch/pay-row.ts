import { inTransaction, type Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { hasCode } from '../../base/errors.ts'
import { timeOfId } from '../../base/id.ts'
import { type Due, dueBy, processDue } from '../../base/jobs.ts'
import { type PostTools, postWithin } from '../../ledger/batch.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { userError } from '../../identity/user/errors.ts'
import { findUsers } from '../../identity/user/store.ts'
import { networkByDefault } from '../payout/pay-out.ts'
import { pay } from '../payout/postings.ts'
import { payoutDocument } from '../payout/store.ts'
import { isTaken, referenceKey } from '../transaction/reference.ts'
import { freeTransaction } from '../transaction/store.ts'
import { payoutBatchEvent } from './events.ts'
import type { RowFault } from './faults.ts'
import { type CountedBatch, countRow, endRow, lockRow } from './store.ts'
import { accountOf } from './submit-payouts.ts'

// About half a second of work, so that the rows of other files come next.
const atOnce = 100
const together = 4

/** Pays the next rows of all payout files. */
export function createPayRows(tools: PostTools): () => Promise<boolean> {
  const due = dueBy(tools.pool, 'due_payout_rows')
  return processDue(tools.clock, atOnce, due, (row) => payRow(tools, row), together)
}

/**
 * Pays a row, once: its payout, its result and the progress of its file are one commit, under a lock of the row. A row
 * that can never be paid is refused, and its amount goes back to the balance.
 */
async function payRow(tools: PostTools, due: Due): Promise<void> {
  try {
    await inTransaction(tools.pool, (tx) => payWithin(tools, tx, due))
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined) throw error
    await inTransaction(tools.pool, (tx) => refuseWithin(tools, tx, due, fault))
  }
}

/** Why a row can never be paid. Undefined if another try may succeed. */
function faultOf(error: unknown): RowFault | undefined {
  if (isTaken(error)) return 'REFERENCE_TAKEN'
  return hasCode(error, 'USER_NOT_FOUND') ? 'RECIPIENT_GONE' : undefined
}

async function payWithin(tools: PostTools, tx: Tx, { environmentId, id: rowId }: Due): Promise<void> {
  await actFor(tx, environmentId)
  const row = await lockRow(tx, environmentId, rowId)
  if (row === undefined) return
  const { batchId, number, userId, amount, reference, note: metadata, bookId, currency, requestedBy } = row
  if ((await findUsers(tx, [userId])).get(userId)?.isActive !== true) throw userError('USER_NOT_FOUND')
  const at = tools.clock()
  const id = tools.newId()
  const books = { bookId, currency, toBookId: bookId, toCurrency: currency }
  const payout = { ...books, id, environmentId, userId, amount, metadata, reference }
  const posting = await pay(tools, tx, payout, id, 1, accountOf({ id: batchId, bookId }))
  const moved = { environmentId, id, bookId, amount, metadata, userId, memberId: requestedBy }
  const documents = [
    freeTransaction('PAYOUT', reference, moved),
    payoutDocument({ environmentId, id, userId, toBookId: bookId, network: networkByDefault, createdAt: timeOfId(id) }),
    ...(posting.documents ?? []),
  ]
  const identity = {
    key: referenceKey(environmentId, reference),
    requestFingerprint: JSON.stringify(['payout.row', batchId, number]),
  }
  await endRow(tx, row, { status: 'paid', fault: null }, at)
  // From here on the rows of this file wait for each other.
  await announceEnd(tools, tx, await countRow(tx, row, { paid: 1, returned: 0n }, at))
  await postWithin(tx, { id, kind: 'payout', ...identity, alternatives: [{ ...posting, documents }] }, tools)
}

async function refuseWithin(
  tools: PostTools,
  tx: Tx,
  { environmentId, id: rowId }: Due,
  fault: RowFault,
): Promise<void> {
  await actFor(tx, environmentId)
  const row = await lockRow(tx, environmentId, rowId)
  if (row === undefined) return
  const { batchId, number, amount } = row
  const at = tools.clock()
  await endRow(tx, row, { status: 'refused', fault }, at)
  const batch = await countRow(tx, row, { paid: 0, returned: amount }, at)
  await announceEnd(tools, tx, batch)
  const to = { bookId: batch.bookId, ownerId: environmentId, kind: 'merchant' } as const
  const identity = { id: tools.newId(), kind: 'payout.returned', requestFingerprint: '' }
  const alternatives = [{ transfers: [{ from: accountOf(batch), to, amount }] }] as const
  await postWithin(tx, { ...identity, key: `payout.batch/${batchId}/${number}/return`, alternatives }, tools)
}

async function announceEnd(tools: PostTools, tx: Tx, batch: CountedBatch): Promise<void> {
  if (batch.finishedAt === null) return
  const { environmentId, id: batchId, reference, paid, refused } = batch
  const to = { environmentId, about: { id: batchId, sequence: 3 } }
  await publishEvents(tx, [payoutBatchEvent('payout_batch.finished', to, { batchId, reference, paid, refused })], tools)
}
