import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db.ts'
import { selectValue, sql } from '../../base/sql.ts'
import { settledAfterMs } from '../figures.ts'

// Each extension updates a row for every environment, so the newest journals wait until there are some.
const stepMin = '15 minutes'
// A statement over this many journals takes about a second.
const journalsMax = 20_000

/** Adds the next journals to what reports read. Those of the last hour may still be committed: reports read them from the ledger. */
export async function extendReports(db: Db, clock: Clock): Promise<boolean> {
  const until = new Date(clock().getTime() - settledAfterMs)
  const hasFound = await selectValue(
    db,
  )`select ${sql.boolean`extend_reports(${until}, ${stepMin}::interval, ${journalsMax})`}`
  return hasFound === true
}
