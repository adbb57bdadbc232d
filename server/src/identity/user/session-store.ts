import { orNull } from '../../base/column-type.ts'
import type { Db } from '../../base/db.ts'
import { execute, executeOne, list, type RowOf, select, sql } from '../../base/sql.ts'
import { defineTable } from '../../base/table.ts'

const userSessions = defineTable('user_sessions', {
  id: sql.uuid,
  userId: sql.uuid,
  expiresAt: sql.timestamptz,
  userAgent: orNull(sql.text),
  passkeyAt: orNull(sql.timestamptz),
  createdAt: sql.timestamptz,
  tillOf: orNull(sql.uuid),
})

const sessionColumns = list(
  userSessions.columns('', 'id', 'userAgent', 'passkeyAt', 'createdAt', 'expiresAt', 'tillOf'),
)
export type Session = RowOf<typeof sessionColumns>

/** A session at a till of another merchant is no matter of this one. */
const usableAt = (merchantId: string) => sql`(till_of is null or till_of = ${merchantId})`

/** The sessions in which a user can act at a merchant, newest first. */
export async function listSessionsAt(db: Db, userId: string, merchantId: string, at: Date): Promise<Session[]> {
  return select(db)`
    select ${sessionColumns} from user_sessions
      where user_id = ${userId} and expires_at > ${at} and ${usableAt(merchantId)} order by created_at desc, id limit 100`
}

/** Returns false if the user has no such session. */
export async function endSessionAt(db: Db, userId: string, merchantId: string, id: string): Promise<boolean> {
  return executeOne(db)`
    delete from user_sessions where id = ${id} and user_id = ${userId} and ${usableAt(merchantId)}`
}

export async function endSessionsAt(db: Db, userId: string, merchantId: string): Promise<void> {
  await execute(db)`delete from user_sessions where user_id = ${userId} and ${usableAt(merchantId)}`
}
