import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import type { Db } from '../../base/db.ts'
import { type Mode, modes } from '../../base/mode.ts'
import { execute, list, type RowOf, select, sql } from '../../base/sql.ts'
import { defineTable, insertInto, type NewRow } from '../../base/table.ts'

const acts = defineTable('acts', {
  id: sql.uuid,
  /** Who did it: a user, a key, or the operator who ran a command. */
  userId: orNull(sql.uuid),
  keyId: orNull(sql.uuid),
  ranBy: withDefault(sql.text),
  merchantId: orNull(sql.uuid),
  mode: orNull(oneOf(modes)),
  /** Such as POST /merchant-integrations-server/payout. */
  operation: sql.text,
  object: sql.text,
  address: sql.text,
  createdAt: sql.timestamptz,
  status: withDefault(orNull(sql.smallint)),
})

type NewAct = NewRow<typeof acts>
export type Act = Pick<NewAct, 'id' | 'userId' | 'keyId' | 'ranBy' | 'operation' | 'object' | 'address'> & {
  readonly merchant?: { readonly id: string; readonly mode: Mode } | undefined
}

/** Records an action before it is done, so that an attempt is known even if the process crashes. */
export async function recordAct(db: Db, act: Act, at: Date): Promise<void> {
  const { merchant, ...row } = act
  await execute(db)`${insertInto(acts, { ...row, merchantId: merchant?.id, mode: merchant?.mode, createdAt: at })}`
}

export async function noteAct(db: Db, id: string, status: number): Promise<void> {
  await execute(db)`update acts set status = ${status} where id = ${id}`
}

const listedColumns = list({
  ...acts.columns('a', 'id', 'mode', 'operation', 'object', 'address', 'status'),
  who: sql.text`coalesce(trim(u.other_names || ' ' || u.surname), nullif(a.ran_by, ''), 'API key')`,
  email: sql.text`coalesce(u.email, '')`,
  /** Empty for users and commands. */
  keyId: sql.text`coalesce(a.key_id::text, '')`,
  merchantCode: sql.text`coalesce(m.code, '')`,
  at: sql.timestamptz`a.created_at`,
})
export type ListedAct = RowOf<typeof listedColumns>

/** All actions, newest first, for the operator. */
export async function listActs(db: Db, before: string, limit: number): Promise<ListedAct[]> {
  return select(db)`
    select ${listedColumns}
      from all_acts a left join users u on u.id = a.user_id left join merchants m on m.id = a.merchant_id
      where a.id < ${before}
      order by a.id desc limit ${limit}`
}
