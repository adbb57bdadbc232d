import type { Clock } from '../base/clock.ts'
import type { Db } from '../base/db.ts'
import { select } from '../base/sql.ts'
import type { Look } from '../event/live.ts'
import { firstIdAt } from '../transaction/store.ts'

// Longer than anything takes from its id to its commit, and than a page takes to listen anew.
const windowMs = 20_000

/**
 * To people: a payment that they are asked for, its end, money that came or left. It looks back a while each time and leaves out what it
 * saw there before, so it does not matter in which order things are committed. Who begins to listen is told of that while too, so nothing
 * is lost between a page's look and its listening.
 */
export function lookAtPeople(db: Db, clock: Clock): Look {
  let seen: ReadonlySet<string> = new Set()
  return async (people) => {
    const since = new Date(clock().getTime() - windowMs)
    const found = await select<{ userId: string; key: string }>(db)`
      select user_id as "userId", key from recent_people(${people}, ${firstIdAt(since)}, ${since})`
    const nameOf = (one: (typeof found)[number]): string => `${one.userId} ${one.key}`
    const happened = found.filter((one) => !seen.has(nameOf(one))).map(({ userId }) => userId)
    seen = new Set(found.map(nameOf))
    return { happened, isMore: false }
  }
}
