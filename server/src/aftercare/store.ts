import type { Db, Tx } from '../base/db.ts'
import type { Voucher } from '../voucher/store.ts'

/** Past their time, with something still to be moved, whoever's they are; oldest first. */
export async function findDueVouchers(db: Db, at: Date, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>('select * from due_vouchers($1, $2) as due (id)', [at, limit])
  return rows.map(({ id }) => id)
}

/** What left a voucher when it expired the last time, if anything was left, and has not been put back. */
export async function findLastExpiry(tx: Tx, { id }: Voucher): Promise<{ id: string; amount: bigint } | undefined> {
  const { rows } = await tx.query<{ id: string; kind: string; amount: string }>(
    `select id, kind, amount from voucher_moves where voucher_id = $1 and kind in ('expiry', 'reopening')
      order by id desc limit 1`,
    [id],
  )
  const [last] = rows
  return last?.kind === 'expiry' ? { id: last.id, amount: BigInt(last.amount) } : undefined
}
