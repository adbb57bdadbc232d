import type { Db } from '../base/db.ts'
import { oneOf, withDefault } from '../base/column-type.ts'
import { type Mode, modes } from '../base/mode.ts'
import { execute, list, type RowOf, selectOne, selectValue, sql } from '../base/sql.ts'
import { defineTable, insertInto } from '../base/table.ts'

export const ledgerBooks = defineTable('ledger_books', {
  id: withDefault(sql.smallint),
  mode: oneOf(modes),
  currency: sql.text,
})
const bookColumns = list(ledgerBooks.columns('', 'currency', 'mode'))
type Book = RowOf<typeof bookColumns>

/** A book is one mode and currency: a test dollar is a different currency from a dollar. */
export async function findBook(db: Db, mode: Mode, currency: string): Promise<number | undefined> {
  return selectValue(db)`
    select ${sql.smallint`id`} from ledger_books where mode = ${mode} and currency = ${currency}`
}

export async function ensureBook(db: Db, mode: Mode, currency: string): Promise<number> {
  const known = await findBook(db, mode, currency)
  if (known !== undefined) return known
  await execute(db)`${insertInto(ledgerBooks, { mode, currency })} on conflict do nothing`
  const id = await findBook(db, mode, currency)
  if (id === undefined) throw new Error(`The book ${mode} ${currency} could not be created.`)
  return id
}

export async function findBookCurrency(db: Db, bookId: number): Promise<Book> {
  const book = await selectOne(db)`select ${bookColumns} from ledger_books where id = ${bookId}`
  if (book === undefined) throw new Error(`Book ${bookId} does not exist.`)
  return book
}
