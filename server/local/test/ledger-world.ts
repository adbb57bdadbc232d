// A database, a ledger and shorthands for ledger tests.
import { createManualClock, systemClock } from '../../src/base/clock.ts'
import { createPool, type Pool } from '../../src/base/db.ts'
import { createIds, type NewId } from '../../src/base/id.ts'
import { systemRandom } from '../../src/base/random.ts'
import type { Account, AccountKind } from '../../src/ledger/account.ts'
import { ensureBook } from '../../src/ledger/book.ts'
import type { Journal, Posting, Transfer } from '../../src/ledger/journal.ts'
import { type Ledger, openLedger } from '../../src/ledger/post.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'

type OneOrMore<T> = T | readonly [T, ...T[]]

export type LedgerWorld = {
  readonly url: string
  readonly clock: ReturnType<typeof createManualClock>
  readonly newId: NewId
  readonly pool: Pool
  readonly ledger: Ledger
  readonly bookId: number
  /** The account that money from outside comes from. */
  readonly bank: Account
  readonly account: (kind: AccountKind, ownerId?: string, book?: number) => Account
  /** A journal with one alternative, or several. Its key and request fingerprint are new by default. */
  readonly journal: (posting: OneOrMore<Posting>, more?: Partial<Journal>) => Journal
  readonly move: (from: Account, to: Account, amount: bigint) => Posting & { transfers: Transfer[] }
  /** Opens an account and funds it from outside. */
  readonly funded: (kind: AccountKind, amount: bigint, ownerId?: string) => Promise<Account>
  readonly fund: (to: Account, amount: bigint) => Promise<void>
  readonly open: (kind: AccountKind, ownerId?: string) => Promise<Account>
  readonly read: (account: Account) => Promise<{ balance: bigint; held: bigint }>
  readonly balanceOf: (account: Account) => Promise<bigint>
  readonly faults: () => Promise<string[]>
  readonly close: () => Promise<void>
}

export async function createLedgerWorld(url: string): Promise<LedgerWorld> {
  const clock = createManualClock(new Date('2026-06-01T12:00:00Z'))
  const newId = createIds(systemClock, systemRandom)
  const pool: Pool = createPool(url)
  const ledger: Ledger = openLedger({ url, clock, newId })
  const bookId = await ensureBook(pool, 'test', 'USD')
  const bank: Account = { bookId, ownerId: newId(), kind: 'treasury' }
  let bankIsOpen = false

  const account: LedgerWorld['account'] = (kind, ownerId = newId(), book = bookId) => ({ bookId: book, ownerId, kind })
  const journal: LedgerWorld['journal'] = (posting, more = {}) => {
    const id = newId()
    const alternatives = 'transfers' in posting ? ([posting] as const) : posting
    return { id, kind: 'test.post', key: `test/${id}`, requestFingerprint: id, alternatives, ...more }
  }
  const move: LedgerWorld['move'] = (from, to, amount) => ({ transfers: [{ from, to, amount }] })
  const fund: LedgerWorld['fund'] = async (to, amount) => {
    await ledger.post(journal({ ...move(bank, to, amount), open: bankIsOpen ? [to] : [bank, to] }))
    bankIsOpen = true
  }
  const funded: LedgerWorld['funded'] = async (kind, amount, ownerId = newId()) => {
    const opened = account(kind, ownerId)
    await fund(opened, amount)
    return opened
  }
  const open: LedgerWorld['open'] = async (kind, ownerId = newId()) => {
    const opened = await funded(kind, 1n, ownerId)
    await ledger.post(journal(move(opened, bank, 1n)))
    return opened
  }
  const read: LedgerWorld['read'] = (of) => readAccount(pool, of)
  const close = async (): Promise<void> => {
    await ledger.close()
    await pool.end()
  }
  const accounts = { bookId, bank, account, funded, fund, open, read }
  const balanceOf: LedgerWorld['balanceOf'] = async (of) => (await read(of)).balance
  const faults = (): Promise<string[]> => verifyLedger(pool)
  return { url, clock, newId, pool, ledger, ...accounts, journal, move, balanceOf, faults, close }
}

async function readAccount(pool: Pool, { bookId, ownerId, kind }: Account): Promise<{ balance: bigint; held: bigint }> {
  const { rows } = await pool.query<{ balance: bigint; held: bigint }>(
    'select balance, held from ledger_accounts where book_id = $1 and owner_id = $2 and kind = $3',
    [bookId, ownerId, kind],
  )
  return { balance: rows[0]?.balance ?? 0n, held: rows[0]?.held ?? 0n }
}
