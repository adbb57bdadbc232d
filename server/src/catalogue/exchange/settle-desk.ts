import type { Pool } from '../../base/db.ts'
import type { NewId } from '../../base/id.ts'
import { list, type RowOf, select, sql } from '../../base/sql.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import type { Mode } from '../../base/mode.ts'
import { exchangeAccount } from '../../ledger/exchange.ts'
import type { Posted } from '../../ledger/journal.ts'
import type { Ledger } from '../../ledger/post.ts'

const positionColumns = list({
  bookId: sql.smallint`b.id`,
  ...ledgerBooks.columns('b', 'currency'),
  balance: sql.numeric`a.balance`,
})
export type DeskPosition = RowOf<typeof positionColumns>

/** The open positions of an exchange desk by currency. */
export async function listPositions(pool: Pool, ownerId: string, mode: Mode): Promise<DeskPosition[]> {
  return select(pool)`
    select ${positionColumns} from ledger_accounts a join ledger_books b on b.id = a.book_id
      where a.owner_id = ${ownerId} and a.kind = 'exchange' and b.mode = ${mode} and a.balance <> 0
      order by b.currency`
}

/**
 * Records that the operator closed a desk's positions outside of Scrip: they go to zero against the owner's treasury.
 * Until then, a desk at its limit refuses conversions in that direction.
 */
export async function settleDesk(
  { pool, ledger, newId }: { readonly pool: Pool; readonly ledger: Ledger; readonly newId: NewId },
  ownerId: string,
  mode: Mode,
  reference: string,
): Promise<Posted | undefined> {
  const positions = await listPositions(pool, ownerId, mode)
  if (positions.length === 0) return undefined
  const moves = positions.map(({ bookId, balance }) => {
    const desk = exchangeAccount(ownerId, bookId)
    const treasury = { bookId, ownerId, kind: 'treasury' } as const
    const transfer =
      balance < 0n ? { from: treasury, to: desk, amount: -balance } : { from: desk, to: treasury, amount: balance }
    return { transfer, treasury }
  })
  return ledger.post({
    id: newId(),
    kind: 'exchange.settle',
    key: `exchange.settle/${ownerId}/${reference}`,
    requestFingerprint: mode,
    alternatives: [{ transfers: moves.map(({ transfer }) => transfer), open: moves.map(({ treasury }) => treasury) }],
  })
}
