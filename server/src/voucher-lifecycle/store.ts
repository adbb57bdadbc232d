import type { Db, Tx } from '../base/db.ts'
import { select, selectOne } from '../base/sql.ts'
import type { Voucher } from '../voucher/store.ts'

/** Expired vouchers of all issuers whose balance has not moved yet, oldest first. */
export async function findDueVouchers(
  db: Db,
  at: Date,
  resting: readonly string[],
  limit: number,
): Promise<{ id: string }[]> {
  return select<{ id: string }>(db)`select * from due_vouchers(${at}, ${resting}, ${limit}) as due (id)`
}

/** The total that expiries moved off a voucher minus what was restored, and the id of the last expiry. */
export async function findExpired(tx: Tx, { id }: Voucher): Promise<{ lastId: string; amount: bigint } | undefined> {
  const found = await selectOne<{ lastId: string | null; amount: bigint }>(tx)`
    select max(id::text) filter (where kind = 'expiry') as "lastId",
        sum(case kind when 'expiry' then amount else -amount end) as amount
      from voucher_moves where voucher_id = ${id} and kind in ('expiry', 'reopening')`
  return found?.lastId == null ? undefined : { lastId: found.lastId, amount: found.amount }
}
