import type { Clock } from '../base/clock.ts'
import type { Db } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import { expiryJournal } from './decide.ts'
import type { Ledger } from './post.ts'
import { findDeadHolds } from './store.ts'

/**
 * Gives back what holds past their time still reserve, oldest first. Whatever touches such an account does the same by
 * itself; this is for accounts that nobody touches. Returns how many it found: as many as `limit` means that there may be more.
 */
export async function expireHolds(db: Db, ledger: Ledger, clock: Clock, newId: NewId, limit = 500): Promise<number> {
  const dead = await findDeadHolds(db, clock(), limit)
  await Promise.all(dead.map((hold) => ledger.post(expiryJournal(newId(), hold))))
  return dead.length
}
