import type { Db } from '../base/db.ts'
import { execute, selectOne, selectValue } from '../base/sql.ts'

export type Mode = 'live' | 'test'

/** A book is one mode and currency: a test dollar is a different currency from a dollar. */
export async function findBook(db: Db, mode: Mode, currency: string): Promise<number | undefined> {
  return selectValue<number>(db)`select id from ledger_books where mode = ${mode} and currency = ${currency}`
}

export async function ensureBook(db: Db, mode: Mode, currency: string): Promise<number> {
  const known = await findBook(db, mode, currency)
  if (known !== undefined) return known
  await execute(db)`insert into ledger_books (mode, currency) values (${mode}, ${currency}) on conflict do nothing`
  const id = await findBook(db, mode, currency)
  if (id === undefined) throw new Error(`The book ${mode} ${currency} could not be created.`)
  return id
}

export async function findBookCurrency(db: Db, bookId: number): Promise<{ currency: string; mode: Mode }> {
  const book = await selectOne<{ currency: string; mode: Mode }>(db)`
    select currency, mode from ledger_books where id = ${bookId}`
  if (book === undefined) throw new Error(`Book ${bookId} does not exist.`)
  return book
}
