import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db.ts'
import { list, type RowOf, select, sql } from '../../base/sql.ts'
import type { FindChanged } from '../../messaging/event/live.ts'
import { firstIdAt } from '../transaction/store.ts'

// Longer than any commit takes after its id was created, and than a page takes to reconnect.
const windowMs = 20_000

const recentColumns = list({ userId: sql.uuid`user_id`, key: sql.text`key` })
type Recent = RowOf<typeof recentColumns>

/**
 * Finds the users to whom something happened: a payment request, its end, or a movement of money. Each call looks back a fixed time and
 * leaves out what it has seen, so the order of commits does not matter. New listeners also get that time, so nothing is lost between
 * a page's read and its stream.
 */
export function findChangedUsers(db: Db, clock: Clock): FindChanged {
  let seen: ReadonlySet<string> = new Set()
  return async (users) => {
    const since = new Date(clock().getTime() - windowMs)
    const found = await select(db)`
      select ${recentColumns} from recent_people(${users}, ${firstIdAt(since)}, ${since})`
    const nameOf = ({ userId, key }: Recent): string => `${userId} ${key}`
    const happened = found.filter((one) => !seen.has(nameOf(one))).map(({ userId }) => userId)
    seen = new Set(found.map(nameOf))
    return { happened, isMore: false }
  }
}
