import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../server/src/base/db.ts'

const triesMax = 18_000

/** Waits until the blocks up to one are read, and looks on: says no if some were left out, or if it takes half an hour. */
export async function untilRead(
  pool: Pool,
  [from, to]: readonly [from: number, to: number],
  onTheWay: (newest: number) => Promise<void>,
): Promise<boolean> {
  let newest = from
  for (let tries = 0; newest < to; tries++) {
    const { rows } = await pool.query<{ oldest: bigint; newest: bigint; orphans: bigint }>(
      `select min(b.number) as oldest, max(b.number) as newest, count(*) filter (where p.hash is null) as orphans
        from chain_blocks b left join chain_blocks p
          on p.network_id = b.network_id and p.number = b.number - 1 and p.hash = b.parent`,
    )
    const [kept] = rows
    // Each is the child of the one before, and the newest of last time is still among them.
    if (kept?.orphans !== 1n || kept.oldest > newest || tries === triesMax) return false
    newest = Number(kept.newest)
    await onTheWay(newest)
    await sleep(100)
  }
  return true
}
