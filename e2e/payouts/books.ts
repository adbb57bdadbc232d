// Compares what the ledger paid with what a file asked for.
import type { Pool } from '../../server/src/base/db.ts'
import type { PayoutFile } from './file.ts'

export type Compared = {
  /** Good rows that were paid at least once. */
  readonly paid: number
  /** Refused rows with a reason. */
  readonly explained: number
  /** Payments that no row of the file asks for. */
  readonly doubled: number
  /** Good rows that were not paid. */
  readonly lost: number
}

export async function comparePayments(pool: Pool, batchId: string, { good }: PayoutFile): Promise<Compared> {
  // Of the ledger, not of the batch: the batch might be wrong.
  const { rows: transfers } = await pool.query<{ userId: string; amount: bigint }>(
    `select to_owner as "userId", amount from ledger_transfers
      where from_owner = $1 and from_kind = 'batch' and to_kind = 'wallet'`,
    [batchId],
  )
  const { rows: refused } = await pool.query<{ count: number }>(
    `select count(*)::integer as count from payout_rows where batch_id = $1 and status = 'refused' and fault <> ''`,
    [batchId],
  )
  const wanted = countEach(good.map(({ userId, cents }) => `${userId} ${cents}`))
  const made = countEach(transfers.map(({ userId, amount }) => `${userId} ${amount}`))
  let paid = 0
  let doubled = 0
  for (const [payment, count] of made) {
    const due = wanted.get(payment) ?? 0
    paid += Math.min(due, count)
    doubled += Math.max(0, count - due)
  }
  return { paid, explained: refused[0]?.count ?? 0, doubled, lost: good.length - paid }
}

function countEach(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
