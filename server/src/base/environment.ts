import { type Db, inTransaction, type Pool, type Tx } from './db.ts'

/**
 * A transaction that acts for one environment. PostgreSQL itself hides every row of another (row-level security), so no
 * statement has to remember to ask for its own; one outside of this sees nothing.
 */
export function withEnvironment<T>(pool: Pool, environmentId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await actFor(tx, environmentId)
    return work(tx)
  })
}

/** From here on the transaction acts for this environment. For work of the platform's own, which learns on its way whose it is. */
export async function actFor(tx: Tx, environmentId: string): Promise<void> {
  await tx.query(`select set_config('scrip.environment', $1, true)`, [environmentId])
}

/** The same for a person: from here on his own rows can be read. */
export async function actForUser(tx: Tx, userId: string): Promise<void> {
  await tx.query(`select set_config('scrip.user', $1, true)`, [userId])
}

export function withUser<T>(pool: Pool, userId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await actForUser(tx, userId)
    return work(tx)
  })
}

/** Policies do not bind the owner of a table, nor a superuser. Whoever connects as one would see everybody's rows. */
export async function checkIsolation(db: Db): Promise<void> {
  const { rows } = await db.query<{ active: boolean }>(`select row_security_active('merchant_keys') as active`)
  if (rows[0]?.active !== true)
    throw new Error(
      'DATABASE_URL names an owner of the tables or a superuser. Connect as scrip_server: environments are kept apart for it alone.',
    )
}
