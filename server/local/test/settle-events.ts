import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../src/base/db.ts'

const ends = `select pg_snapshot_xmax(pg_current_snapshot())::text as id`
const isOver = `select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as over`

/**
 * Waits until every event that is committed now can be listed. An event is listed once no older transaction is open, and transactions of
 * other tests in the same PostgreSQL count.
 */
export async function settleEvents(pool: Pool): Promise<void> {
  const { id } = (await pool.query<{ id: string }>(ends)).rows[0] ?? {}
  while ((await pool.query<{ over: boolean }>(isOver, [id])).rows[0]?.over !== true) await sleep(20)
}
