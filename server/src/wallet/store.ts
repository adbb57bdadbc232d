import type { Db, Tx } from '../base/db.ts'
import { timeOfId } from '../base/id.ts'
import type { Rate } from '../base/money.ts'
import { execute, select, selectValue } from '../base/sql.ts'
import type { Account } from '../ledger/account.ts'
import type { Mode } from '../ledger/book.ts'
import { defineDocument, type Document, type NewRow } from '../ledger/document.ts'
import type { WireMove } from './wire.ts'

/** A user's account in a book. */
export function walletAccount(userId: string, bookId: number): Account {
  return { bookId, ownerId: userId, kind: 'wallet' }
}

const moveRow = defineDocument('wallet_moves', {
  userId: 'uuid',
  /** The id of its journal. */
  id: 'uuid',
  bookId: 'smallint',
  kind: 'text',
  /** Negative for outgoing amounts. */
  amount: 'numeric',
  withName: 'text',
  note: 'text',
  rateNumerator: 'numeric?',
  rateDenominator: 'numeric?',
  createdAt: 'timestamptz',
})

type WalletMove = Pick<NewRow<typeof moveRow>, 'userId' | 'id' | 'bookId' | 'amount'> & {
  readonly kind: WireMove['kind']
  readonly withName?: string
  readonly note?: string
  readonly rate?: Rate
}

/** The entry in a user's activity, committed together with its journal. */
export function walletMove({ rate, ...move }: WalletMove): Document {
  const rated = { rateNumerator: rate?.numerator, rateDenominator: rate?.denominator }
  return moveRow({ withName: '', note: '', ...move, ...rated, createdAt: timeOfId(move.id) })
}

/** The activity entry if a voucher's value is returned to a user who bought it. */
export function returned({ kind, ownerId: userId, bookId }: Account, id: string, amount: bigint): Document[] {
  return kind === 'wallet' ? [walletMove({ userId, id, bookId, kind: 'returned', amount })] : []
}

export type ListedMove = Required<Pick<WalletMove, 'id' | 'kind' | 'amount' | 'withName' | 'note'>> & {
  readonly currency: string
  readonly createdAt: Date
}

/** Newest first. The two moves of an exchange have the same id and are never split between pages. */
export async function listMoves(tx: Tx, userId: string, before: string, limit: number): Promise<ListedMove[]> {
  return select<ListedMove>(tx)`
    select m.id, b.currency, m.kind, m.amount, m.with_name as "withName", m.note, m.created_at as "createdAt"
      from wallet_moves m join ledger_books b on b.id = m.book_id
      where m.user_id = ${userId} and m.id in (
        select distinct w.id from wallet_moves w where w.user_id = ${userId} and w.id < ${before}
        order by w.id desc limit ${limit})
      order by m.id desc, m.amount`
}

export type Balance = { readonly bookId: number; readonly currency: string; readonly available: bigint }

/** The user's balance in every currency ever held, less what is held. */
export async function listBalances(db: Db, mode: Mode, userId: string): Promise<Balance[]> {
  return select<Balance>(db)`
    select b.id as "bookId", b.currency, a.balance - a.held as available
      from ledger_accounts a join ledger_books b on b.id = a.book_id
      where a.owner_id = ${userId} and a.kind = 'wallet' and b.mode = ${mode} order by b.currency`
}

/** The sum sent to others since, without exchanges and reversed deposits. The caller must have locked the user. */
export async function sumLeft(tx: Tx, userId: string, bookId: number, sinceId: string): Promise<bigint> {
  const found = await selectValue<bigint>(tx)`
    select coalesce(-sum(amount), 0) as sum from wallet_moves
      where user_id = ${userId} and book_id = ${bookId} and id >= ${sinceId} and amount < 0
        and kind not in ('exchanged', 'deposited')`
  return found ?? 0n
}

/** The daily limit of a level: its own, or that of the next higher level. Undefined: no limit. */
export async function findDailyLimit(db: Db, bookId: number, level: number): Promise<bigint | undefined> {
  return selectValue<bigint>(db)`
    select l.daily from wallet_limits l join ledger_books b on b.mode = l.mode and b.currency = l.currency
      where b.id = ${bookId} and l.level >= ${level} order by l.level limit 1`
}

export async function saveDailyLimit(
  db: Db,
  { mode, currency, level, daily }: { mode: Mode; currency: string; level: number; daily: bigint },
): Promise<void> {
  await execute(db)`
    insert into wallet_limits (mode, currency, level, daily) values (${mode}, ${currency}, ${level}, ${daily})
      on conflict (mode, currency, level) do update set daily = excluded.daily`
}
