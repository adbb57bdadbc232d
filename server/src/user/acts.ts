import type { Db } from '../base/db.ts'
import type { Mode } from '../ledger/book.ts'

export type Act = {
  readonly id: string
  readonly userId: string
  readonly merchant?: { readonly id: string; readonly mode: Mode } | undefined
  /** Such as POST /merchant-integrations-server/payout. */
  readonly operation: string
  readonly object: string
  readonly address: string
}

/** Before it is done: if nobody lives to note what became of it, that it was tried is known. */
export async function recordAct(db: Db, act: Act, at: Date): Promise<void> {
  const { id, userId, merchant, operation, object, address } = act
  await db.query(
    `insert into acts (id, user_id, merchant_id, mode, operation, object, address, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, userId, merchant?.id, merchant?.mode, operation, object, address, at],
  )
}

export async function noteAct(db: Db, id: string, status: number): Promise<void> {
  await db.query('update acts set status = $2 where id = $1', [id, status])
}

export type ListedAct = {
  readonly id: string
  readonly who: string
  readonly email: string
  readonly merchantCode: string
  readonly mode: Mode | null
  readonly operation: string
  readonly object: string
  readonly address: string
  readonly status: number | null
  readonly at: Date
}

/** Newest first: a merchant's, or everybody's for the operator. */
export async function listActs(
  db: Db,
  merchantId: string | undefined,
  before: string,
  limit: number,
): Promise<ListedAct[]> {
  const { rows } = await db.query<ListedAct>(
    `select a.id, trim(u.other_names || ' ' || u.surname) as who, u.email, coalesce(m.code, '') as "merchantCode", a.mode,
        a.operation, a.object, a.address, a.status, a.created_at as at
      from acts a join users u on u.id = a.user_id left join merchants m on m.id = a.merchant_id
      where a.id < $1 and ($2::uuid is null or a.merchant_id = $2) order by a.id desc limit $3`,
    [before, merchantId, limit],
  )
  return rows
}
