import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../server/src/base/db.ts'

const triesMax = 18_000

/** Waits until every block up to `to` is read. Returns false if blocks are missing, or after half an hour. */
export async function untilRead(
  pool: Pool,
  [from, to]: readonly [from: number, to: number],
  onProgress: (newest: number) => Promise<void>,
): Promise<boolean> {
  let newest = from
  for (let tries = 0; newest < to; tries++) {
    const { rows } = await pool.query<{ oldest: bigint; newest: bigint; orphans: bigint }>(
      `select min(b.number) as oldest, max(b.number) as newest, count(*) filter (where p.hash is null) as orphans
        from chain_blocks b left join chain_blocks p
          on p.network_id = b.network_id and p.number = b.number - 1 and p.hash = b.parent`,
    )
    const [stored] = rows
    // Each block has its parent, and the newest block of the previous check is still stored.
    if (stored?.orphans !== 1n || stored.oldest > newest || tries === triesMax) return false
    newest = Number(stored.newest)
    await onProgress(newest)
    await sleep(100)
  }
  return true
}
