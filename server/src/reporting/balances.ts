import type { Db } from '../base/db.ts'
import { list, select, sql } from '../base/sql.ts'
import { ledgerBooks } from '../ledger/book.ts'
import { pickCurrency } from '../catalogue/currency/store.ts'
import type { Owner } from '../http/caller.ts'
import { readAvailable } from '../ledger/store.ts'
import { type Catalogue, formatMinor } from './to-wire.ts'
import type { WireBalance } from './wire.ts'

const bookColumns = list({
  bookId: sql.smallint`b.id`,
  ...ledgerBooks.columns('b', 'currency'),
  balance: sql.numeric`coalesce(sum(a.balance) filter (where a.kind = 'merchant'), 0)`,
  admin: sql.numeric`coalesce(sum(a.balance) filter (where a.kind = 'merchant_admin'), 0)`,
})

/** A merchant's balances by currency: available, held, and for fees. */
export async function readBalances(
  db: Db,
  { environmentId: ownerId, mode }: Owner,
  catalogue: Catalogue,
  at: Date,
): Promise<WireBalance[]> {
  const books = await select(db)`
    select ${bookColumns}
      from ledger_accounts a join ledger_books b on b.id = a.book_id and b.mode = ${mode}
      where a.owner_id = ${ownerId} and a.kind in ('merchant', 'merchant_admin') group by b.id order by b.currency`
  return Promise.all(
    books.map(async ({ bookId, currency: code, balance, admin }) => {
      const { name, symbol } = pickCurrency(catalogue, code, 'any')
      const available = await readAvailable(db, { bookId, ownerId, kind: 'merchant' }, at)
      const money = (minor: bigint): string => formatMinor(catalogue, minor, code)
      const amounts = { available: money(available), held: money(balance - available), admin: money(admin) }
      return { currency: code, name, symbol, ...amounts }
    }),
  )
}
