import type { Db } from '../base/db.ts'
import type { Log } from '../base/log.ts'
import { list, select, sql } from '../base/sql.ts'

// A quarter has its part half a year before it begins, so that a worker may be stopped for months.
const quartersAhead = 2

const added = list({ name: sql.text`part` })

/** Adds the parts of the tables that are divided by time, for this quarter and the next ones. Returns false: nothing is left. */
export async function addParts(db: Db, at: Date, log: Log): Promise<boolean> {
  const parts = await select(db)`select ${added} from add_parts(${at}, ${quartersAhead}) as part`
  if (parts.length > 0) log.info({ parts: parts.map(({ name }) => name) }, 'Tables have parts for the next quarters.')
  return false
}
