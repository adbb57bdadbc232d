import type { Db } from '../base/db.ts'
import { execute, select } from '../base/sql.ts'
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
  await execute(db)`
    insert into acts (id, user_id, merchant_id, mode, operation, object, address, created_at)
      values (${id}, ${userId}, ${merchant?.id}, ${merchant?.mode}, ${operation}, ${object}, ${address}, ${at})`
}

export async function noteAct(db: Db, id: string, status: number): Promise<void> {
  await execute(db)`update acts set status = ${status} where id = ${id}`
}

export type ListedAct = Pick<Act, 'id' | 'operation' | 'object' | 'address'> & {
  readonly who: string
  readonly email: string
  readonly merchantCode: string
  readonly mode: Mode | null
  readonly status: number | null
  readonly at: Date
}

/** Newest first: a merchant's, or everybody's for the operator. */
export async function listActs(db: Db, merchantId: string | undefined, before: string, limit: number) {
  return select<ListedAct>(db)`
    select a.id, trim(u.other_names || ' ' || u.surname) as who, u.email, coalesce(m.code, '') as "merchantCode",
        a.mode, a.operation, a.object, a.address, a.status, a.created_at as at
      from acts a join users u on u.id = a.user_id left join merchants m on m.id = a.merchant_id
      where a.id < ${before} and (${merchantId}::uuid is null or a.merchant_id = ${merchantId})
      order by a.id desc limit ${limit}`
}
