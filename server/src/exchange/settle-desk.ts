import type { Pool } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import { select } from '../base/sql.ts'
import type { Mode } from '../ledger/book.ts'
import { exchangeAccount } from '../ledger/exchange.ts'
import type { Posted } from '../ledger/journal.ts'
import type { Ledger } from '../ledger/post.ts'

export type DeskPosition = { readonly bookId: number; readonly currency: string; readonly balance: bigint }

/** The open positions of an exchange desk by currency. */
export async function listPositions(pool: Pool, ownerId: string, mode: Mode): Promise<DeskPosition[]> {
  return select<DeskPosition>(pool)`
    select b.id as "bookId", b.currency, a.balance from ledger_accounts a join ledger_books b on b.id = a.book_id
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
