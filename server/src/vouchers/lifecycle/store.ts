import type { Db, Tx } from '../../base/db.ts'
import { orNull } from '../../base/column-type.ts'
import { execute, list, type RowOf, select, selectOne, sql } from '../../base/sql.ts'
import type { Voucher } from '../voucher/store.ts'

const dueColumns = list({ id: sql.uuid`id` })

/** Expired vouchers of all issuers whose balance has not moved yet, oldest first. */
export async function findDueVouchers(
  db: Db,
  at: Date,
  resting: readonly string[],
  limit: number,
): Promise<RowOf<typeof dueColumns>[]> {
  return select(db)`select ${dueColumns} from due_vouchers(${at}, ${resting}, ${limit}) as due (id)`
}

const expiredColumns = list({
  lastId: orNull(sql.text)`max(id::text) filter (where kind = 'expiry')`,
  amount: orNull(sql.numeric)`sum(case kind when 'expiry' then amount else -amount end)`,
})

/** The total that expiries moved off a voucher minus what was restored, and the id of the last expiry. */
export async function findExpired(tx: Tx, { id }: Voucher): Promise<{ lastId: string; amount: bigint } | undefined> {
  const found = await selectOne(tx)`
    select ${expiredColumns} from voucher_moves where voucher_id = ${id} and kind in ('expiry', 'reopening')`
  if (found === undefined || found.lastId === null || found.amount === null) return undefined
  return { lastId: found.lastId, amount: found.amount }
}

/** A gift that waits for its day goes to the voucher that replaces its own. */
export async function moveGift(tx: Tx, { id, environmentId }: Voucher, replacedBy: string): Promise<void> {
  await execute(tx)`
    insert into voucher_gifts (environment_id, voucher_id, email, sender, message, language, send_at)
      select environment_id, ${replacedBy}::uuid, email, sender, message, language, send_at from voucher_gifts
      where environment_id = ${environmentId} and voucher_id = ${id} and sent_at is null and ended_at is null`
}
