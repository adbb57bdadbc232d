import { oneOf, orNull } from '../../base/column-type.ts'
import type { Db, Tx } from '../../base/db.ts'
import { timeOfId } from '../../base/id.ts'
import { type Mode, modes } from '../../base/mode.ts'
import type { Rate } from '../../base/money.ts'
import { execute, list, type RowOf, select, selectValue, sql } from '../../base/sql.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { defineTable, insertInto, type NewRow, type TableRow } from '../../base/table.ts'
import type { Account } from '../../ledger/account.ts'
import { type Document, documentOf } from '../../ledger/document.ts'
import { moveKinds } from './wire.ts'

/** A user's account in a book. */
export function walletAccount(userId: string, bookId: number): Account {
  return { bookId, ownerId: userId, kind: 'wallet' }
}

const walletMoves = defineTable('wallet_moves', {
  userId: sql.uuid,
  /** The id of its journal. */
  id: sql.uuid,
  bookId: sql.smallint,
  kind: oneOf(moveKinds),
  /** Negative for outgoing amounts. */
  amount: sql.numeric,
  withName: sql.text,
  note: sql.text,
  rateNumerator: orNull(sql.numeric),
  rateDenominator: orNull(sql.numeric),
  createdAt: sql.timestamptz,
})
const moveRow = documentOf(walletMoves)

type WalletMove = Pick<NewRow<typeof walletMoves>, 'userId' | 'id' | 'bookId' | 'kind' | 'amount'> & {
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

const listedColumns = list({
  ...walletMoves.columns('m', 'id', 'kind', 'amount', 'withName', 'note', 'createdAt'),
  ...ledgerBooks.columns('b', 'currency'),
})
export type ListedMove = RowOf<typeof listedColumns>

/** Newest first. The two moves of an exchange have the same id and are never split between pages. */
export async function listMoves(tx: Tx, userId: string, before: string, limit: number): Promise<ListedMove[]> {
  return select(tx)`
    select ${listedColumns}
      from wallet_moves m join ledger_books b on b.id = m.book_id
      where m.user_id = ${userId} and m.id in (
        select distinct w.id from wallet_moves w where w.user_id = ${userId} and w.id < ${before}
        order by w.id desc limit ${limit})
      order by m.id desc, m.amount`
}

/** One page of all moves, newest first, with the cursor of the next page. */
export async function pageMoves(
  tx: Tx,
  userId: string,
  before: string,
  limit: number,
): Promise<{ moves: ListedMove[]; next: string }> {
  const found = await listMoves(tx, userId, before, limit + 1)
  // The two moves of an exchange have one id and count once.
  const ids = [...new Set(found.map(({ id }) => id))]
  const page = ids.slice(0, limit)
  return {
    moves: found.filter(({ id }) => page.includes(id)),
    next: ids.length > limit ? (page.at(-1) ?? '') : '',
  }
}

const balanceColumns = list({
  bookId: sql.smallint`b.id`,
  ...ledgerBooks.columns('b', 'currency'),
  available: sql.numeric`a.balance - a.held`,
})
export type Balance = RowOf<typeof balanceColumns>

/** The user's balance in every currency ever held, less what is held. */
export async function listBalances(db: Db, mode: Mode, userId: string): Promise<Balance[]> {
  return select(db)`
    select ${balanceColumns}
      from ledger_accounts a join ledger_books b on b.id = a.book_id
      where a.owner_id = ${userId} and a.kind = 'wallet' and b.mode = ${mode} order by b.currency`
}

/** The sum sent to others since, without exchanges and reversed deposits. The caller must have locked the user. */
export async function sumLeft(tx: Tx, userId: string, bookId: number, sinceId: string): Promise<bigint> {
  const found = await selectValue(tx)`
    select ${sql.numeric`coalesce(-sum(amount), 0)`} from wallet_moves
      where user_id = ${userId} and book_id = ${bookId} and id >= ${sinceId} and amount < 0
        and kind not in ('exchanged', 'deposited')`
  return found ?? 0n
}

const walletLimits = defineTable('wallet_limits', {
  mode: oneOf(modes),
  currency: sql.text,
  level: sql.smallint,
  daily: sql.numeric,
})

/** The daily limit of a level: its own, or that of the next higher level. Undefined: no limit. */
export async function findDailyLimit(db: Db, bookId: number, level: number): Promise<bigint | undefined> {
  return selectValue(db)`
    select ${sql.numeric`l.daily`} from wallet_limits l join ledger_books b on b.mode = l.mode and b.currency = l.currency
      where b.id = ${bookId} and l.level >= ${level} order by l.level limit 1`
}

export async function saveDailyLimit(db: Db, limit: TableRow<typeof walletLimits>): Promise<void> {
  await execute(db)`
    ${insertInto(walletLimits, limit)}
      on conflict (mode, currency, level) do update set daily = excluded.daily`
}
