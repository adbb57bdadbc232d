import type { Db } from '../base/db.ts'

export type Mode = 'live' | 'test'

/** A book is a mode and a currency: a test dollar is another currency than a dollar. */
export async function findBook(db: Db, mode: Mode, currency: string): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>('select id from ledger_books where mode = $1 and currency = $2', [
    mode,
    currency,
  ])
  return rows[0]?.id
}

export async function ensureBook(db: Db, mode: Mode, currency: string): Promise<number> {
  const known = await findBook(db, mode, currency)
  if (known !== undefined) return known
  await db.query('insert into ledger_books (mode, currency) values ($1, $2) on conflict do nothing', [mode, currency])
  const id = await findBook(db, mode, currency)
  if (id === undefined) throw new Error(`The book ${mode} ${currency} was neither found nor made.`)
  return id
}
