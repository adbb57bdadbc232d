import type { Db } from '../base/db.ts'

export type Mode = 'live' | 'test'

/** A book is a mode and a currency: a test dollar is another currency than a dollar. */
export async function ensureBook(db: Db, mode: Mode, currency: string): Promise<number> {
  const find = async () =>
    (await db.query<{ id: number }>('select id from ledger_books where mode = $1 and currency = $2', [mode, currency]))
      .rows[0]?.id
  const known = await find()
  if (known !== undefined) return known
  await db.query('insert into ledger_books (mode, currency) values ($1, $2) on conflict do nothing', [mode, currency])
  const id = await find()
  if (id === undefined) throw new Error(`The book ${mode} ${currency} was neither found nor made.`)
  return id
}
