import type { Db, Tx } from '../base/db.ts'
import type { Voucher } from '../voucher/store.ts'

/** Past their time, with something still to be moved, whoever's they are; oldest first. */
export async function findDueVouchers(
  db: Db,
  at: Date,
  resting: readonly string[],
  limit: number,
): Promise<{ id: string }[]> {
  const { rows } = await db.query<{ id: string }>('select * from due_vouchers($1, $2, $3) as due (id)', [
    at,
    resting,
    limit,
  ])
  return rows
}

/** What left a voucher whenever it expired, less what was put back, and the last of those times. */
export async function findExpired(tx: Tx, { id }: Voucher): Promise<{ lastId: string; amount: bigint } | undefined> {
  const { rows } = await tx.query<{ lastId: string | null; amount: string | null }>(
    `select max(id::text) filter (where kind = 'expiry') as "lastId",
        sum(case kind when 'expiry' then amount else -amount end) as amount
      from voucher_moves where voucher_id = $1 and kind in ('expiry', 'reopening')`,
    [id],
  )
  const [found] = rows
  if (found?.lastId == null) return undefined
  return { lastId: found.lastId, amount: BigInt(found.amount ?? 0) }
}
