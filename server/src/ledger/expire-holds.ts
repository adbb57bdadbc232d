import type { Clock } from '../base/clock.ts'
import type { Db } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import { expiryJournal } from './decide.ts'
import type { Ledger } from './post.ts'
import { findDeadHolds } from './store.ts'

/**
 * Releases expired holds, oldest first. Any journal that touches the account does the same; this is for accounts without
 * activity. Returns how many it found: if it equals `limit`, there may be more.
 */
export async function expireHolds(db: Db, ledger: Ledger, clock: Clock, newId: NewId, limit = 500): Promise<number> {
  const dead = await findDeadHolds(db, clock(), limit)
  await Promise.all(dead.map((hold) => ledger.post(expiryJournal(newId(), hold))))
  return dead.length
}
