// A small world for ledger tests: a database of its own, a ledger, and short ways to say what tests say often.
import { createManualClock, systemClock } from '../src/base/clock.ts'
import { createPool, type Pool } from '../src/base/db.ts'
import { createIds } from '../src/base/id.ts'
import { systemRandom } from '../src/base/random.ts'
import type { Account, AccountKind } from '../src/ledger/account.ts'
import { ensureBook } from '../src/ledger/book.ts'
import type { Journal, Posting, Transfer } from '../src/ledger/journal.ts'
import { type Ledger, openLedger } from '../src/ledger/post.ts'
import { verifyLedger } from '../src/ledger/verify.ts'

export type LedgerWorld = Awaited<ReturnType<typeof createLedgerWorld>>

export async function createLedgerWorld(url: string) {
  const clock = createManualClock(new Date('2026-06-01T12:00:00Z'))
  const newId = createIds(systemClock, systemRandom)
  const pool: Pool = createPool(url)
  const ledger: Ledger = openLedger({ url, clock, newId })
  const bookId = await ensureBook(pool, 'test', 'USD')
  const bank: Account = { bookId, ownerId: newId(), kind: 'treasury' }
  let bankIsOpen = false

  const account = (kind: AccountKind, ownerId = newId(), book = bookId): Account => ({ bookId: book, ownerId, kind })

  /** A journal with one alternative, or several. Key and what was asked default to something new. */
  const journal = (posting: Posting | readonly [Posting, ...Posting[]], more: Partial<Journal> = {}): Journal => {
    const id = newId()
    const alternatives = 'transfers' in posting ? ([posting] as const) : posting
    return { id, kind: 'test.post', key: `test/${id}`, asked: id, alternatives, ...more }
  }
  const move = (from: Account, to: Account, amount: bigint): Posting & { transfers: Transfer[] } => ({
    transfers: [{ from, to, amount }],
  })

  /** A new account that holds this much, from the outside world. */
  const funded = async (kind: AccountKind, amount: bigint, ownerId = newId()): Promise<Account> => {
    const made = account(kind, ownerId)
    await fund(made, amount)
    return made
  }
  const fund = async (to: Account, amount: bigint): Promise<void> => {
    await ledger.post(journal({ ...move(bank, to, amount), open: bankIsOpen ? [to] : [bank, to] }))
    bankIsOpen = true
  }
  const open = async (kind: AccountKind, ownerId = newId()): Promise<Account> => {
    const made = await funded(kind, 1n, ownerId)
    await ledger.post(journal(move(made, bank, 1n)))
    return made
  }

  const read = async ({ bookId: book, ownerId, kind }: Account): Promise<{ balance: bigint; held: bigint }> => {
    const { rows } = await pool.query<{ balance: bigint; held: bigint }>(
      'select balance, held from ledger_accounts where book_id = $1 and owner_id = $2 and kind = $3',
      [book, ownerId, kind],
    )
    return { balance: rows[0]?.balance ?? 0n, held: rows[0]?.held ?? 0n }
  }
  const balanceOf = async (of: Account): Promise<bigint> => (await read(of)).balance

  return {
    url,
    clock,
    newId,
    pool,
    ledger,
    bookId,
    bank,
    account,
    journal,
    move,
    funded,
    fund,
    open,
    read,
    balanceOf,
    faults: () => verifyLedger(pool),
    close: async () => {
      await ledger.close()
      await pool.end()
    },
  }
}
