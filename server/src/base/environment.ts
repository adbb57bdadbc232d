import { inTransaction, type Pool, type Tx } from './db.ts'

/**
 * A transaction that acts for one environment. PostgreSQL itself hides every row of another (row-level security), so no
 * statement has to remember to ask for its own; one outside of this sees nothing.
 */
export function withEnvironment<T>(pool: Pool, environmentId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await tx.query(`select set_config('scrip.environment', $1, true)`, [environmentId])
    return work(tx)
  })
}
