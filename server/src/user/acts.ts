import type { Db } from '../base/db.ts'
import { execute, select } from '../base/sql.ts'
import type { Mode } from '../ledger/book.ts'

export type Act = {
  readonly id: string
  /** Who did it: a user, a key, or the operator who ran a command. */
  readonly userId?: string | undefined
  readonly keyId?: string | undefined
  readonly ranBy?: string | undefined
  readonly merchant?: { readonly id: string; readonly mode: Mode } | undefined
  /** Such as POST /merchant-integrations-server/payout. */
  readonly operation: string
  readonly object: string
  readonly address: string
}

/** Records an action before it is done, so that an attempt is known even if the process crashes. */
export async function recordAct(db: Db, act: Act, at: Date): Promise<void> {
  const { id, userId, keyId, ranBy = '', merchant, operation, object, address } = act
  await execute(db)`
    insert into acts (id, user_id, key_id, ran_by, merchant_id, mode, operation, object, address, created_at)
      values (${id}, ${userId}, ${keyId}, ${ranBy}, ${merchant?.id}, ${merchant?.mode}, ${operation}, ${object},
        ${address}, ${at})`
}

export async function noteAct(db: Db, id: string, status: number): Promise<void> {
  await execute(db)`update acts set status = ${status} where id = ${id}`
}

export type ListedAct = Pick<Act, 'id' | 'operation' | 'object' | 'address'> & {
  readonly who: string
  readonly email: string
  /** Empty for users and commands. */
  readonly keyId: string
  readonly merchantCode: string
  readonly mode: Mode | null
  readonly status: number | null
  readonly at: Date
}

/** Newest first: the actions at a merchant, or all actions for the operator. */
export async function listActs(
  db: Db,
  merchantId: string | undefined,
  before: string,
  limit: number,
): Promise<ListedAct[]> {
  return select<ListedAct>(db)`
    select a.id, coalesce(trim(u.other_names || ' ' || u.surname), nullif(a.ran_by, ''), 'API key') as who,
        coalesce(u.email, '') as email, coalesce(a.key_id::text, '') as "keyId", coalesce(m.code, '') as "merchantCode",
        a.mode, a.operation, a.object, a.address, a.status, a.created_at as at
      from acts a left join users u on u.id = a.user_id left join merchants m on m.id = a.merchant_id
      where a.id < ${before} and (${merchantId}::uuid is null or a.merchant_id = ${merchantId})
      order by a.id desc limit ${limit}`
}
