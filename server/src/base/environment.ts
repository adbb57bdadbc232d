import { type Db, inTransaction, type Pool, type Tx } from './db.ts'
import { selectValue, sql } from './sql.ts'

/**
 * Runs a transaction for one environment. Row-level security hides the rows of all other environments, so statements need no
 * environment filter. Outside such a transaction no rows are visible.
 */
export function withEnvironment<T>(pool: Pool, environmentId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await actFor(tx, environmentId)
    return work(tx)
  })
}

/** Sets the environment of the running transaction. For platform jobs that learn the environment from a row. */
export async function actFor(tx: Tx, environmentId: string): Promise<void> {
  await tx.query(`select set_config('scrip.environment', $1, true)`, [environmentId])
}

/** Sets the user of the running transaction, which makes the user's own rows visible. */
export async function actForUser(tx: Tx, userId: string): Promise<void> {
  await tx.query(`select set_config('scrip.user', $1, true)`, [userId])
}

export function withUser<T>(pool: Pool, userId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await actForUser(tx, userId)
    return work(tx)
  })
}

/** Table owners and superusers bypass row-level security, so the server must not connect as one. */
export async function checkIsolation(db: Db): Promise<void> {
  const isActive = await selectValue(db)`select ${sql.boolean`row_security_active('merchant_keys')`}`
  if (isActive !== true)
    throw new Error(
      'DATABASE_URL connects as a table owner or superuser, which bypasses row-level security. Connect as scrip_server.',
    )
}
