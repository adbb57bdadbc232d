import type { Db } from '../../base/db.ts'
import { execute, list, select, sql } from '../../base/sql.ts'
import { defineTable } from '../../base/table.ts'
import { documentOf } from '../../ledger/document.ts'

const usedQuotes = defineTable('used_quotes', { id: sql.uuid, endsAt: sql.timestamptz })

/** Stored in the commit of the redemption that uses the quote. The primary key refuses a second use. */
export const usedQuoteDocument = documentOf(usedQuotes)

const idColumn = list(usedQuotes.columns('', 'id'))

export async function findUsedQuotes(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await select(db)`select ${idColumn} from used_quotes where id = any(${ids}::uuid[])`
  return new Set(rows.map(({ id }) => id))
}

/** Deletes records of expired quotes, which cannot be used anyway. Returns the number deleted. */
export async function forgetUsedQuotes(db: Db, at: Date, limit: number): Promise<number> {
  return execute(db)`
    delete from used_quotes where id in (select id from used_quotes where ends_at < ${at} limit ${limit})`
}
