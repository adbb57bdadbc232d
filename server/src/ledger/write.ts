import { binaryColumn } from '../base/binary-array.ts'
import { allOrFirstError, type Client, sendTogether } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import { send, type Statement } from '../base/one-round.ts'
import { type Account, mayGoNegative } from './account.ts'
import type { Decided, Entry, HoldFacts, HoldMove } from './decide.ts'
import { type Document, type DocumentTable, plainArray } from './document.ts'
import { accountColumns, sortForLocks } from './lock.ts'
import { publishStatement } from './outbox.ts'

type WriteTools = { readonly at: Date; readonly newId: NewId }

/** Sends all inserts of a batch without waiting in between. */
export function write(client: Client, decided: Decided, tools: WriteTools): Promise<unknown> {
  // Prepare everything before sending: an error during preparation must not leave half a batch sent.
  const statements = writeStatements(decided, tools)
  return allOrFirstError(sendTogether(client, () => statements.map((statement) => send(client, statement))))
}

/**
 * The inserts of a batch. New accounts and unique keys act as locks, so they are written in this order, sorted, and after the existing
 * accounts are locked: that prevents deadlocks.
 */
export function writeStatements({ entries, newAccounts, newHolds }: Decided, { at, newId }: WriteTools): Statement[] {
  const [freeing, reserving] = holdMovesOf(entries)
  const published = publishStatement(entries, { at, newId })
  return [
    ...(newAccounts.length > 0 ? [insertAccounts(newAccounts)] : []),
    insertJournals(entries, at),
    ...(newHolds.length > 0 ? [insertHolds(newHolds)] : []),
    // Before the transfers, whose triggers read them: a store voucher says whose it is.
    ...[...documentsByTable(entries)].map(([table, rows]) => table.insert(rows)),
    // Release before transfer, transfer before reserve: at no point in between does an account hold less than is reserved.
    ...(freeing.length > 0 ? [insertHoldMoves(freeing)] : []),
    ...insertTransfers(entries),
    ...(reserving.length > 0 ? [insertHoldMoves(reserving)] : []),
    ...(published === undefined ? [] : [published]),
  ]
}

function insertJournals(entries: readonly Entry[], at: Date): Statement {
  const byKey = entries.toSorted((a, b) => (a.keyDigest < b.keyDigest ? -1 : 1))
  return {
    name: 'ledger_insert_journals',
    text: `
      insert into ledger_journals (id, key_hash, fingerprint, kind, alternative, posted_at)
      select *, $6::timestamptz from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::smallint[])`,
    values: [
      binaryColumn('uuid', byKey, ({ journal }) => journal.id),
      binaryColumn('uuid', byKey, ({ keyDigest }) => keyDigest),
      binaryColumn('uuid', byKey, ({ fingerprint }) => fingerprint),
      binaryColumn('text', byKey, ({ journal }) => journal.kind),
      binaryColumn('smallint', byKey, ({ alternative }) => alternative),
      at.toISOString(),
    ],
  }
}

function insertAccounts(accounts: readonly Account[]): Statement {
  return {
    name: 'ledger_insert_accounts',
    text: `
      insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
      select * from unnest($1::smallint[], $2::uuid[], $3::ledger_account_kind[], $4::boolean[])`,
    values: newAccountColumns(accounts),
  }
}

/** The columns of new accounts in lock order. */
export function newAccountColumns(accounts: readonly Account[]): (Buffer | string)[] {
  const sorted = sortForLocks(accounts)
  return [...accountColumns(sorted), binaryColumn('boolean', sorted, ({ kind }) => mayGoNegative(kind))]
}

function insertHolds(holds: readonly HoldFacts[]): Statement {
  return {
    name: 'ledger_insert_holds',
    text: `
      insert into ledger_holds (book_id, owner_id, kind, id, expires_at)
      select * from unnest($1::smallint[], $2::uuid[], $3::ledger_account_kind[], $4::uuid[], $5::timestamptz[])`,
    values: [
      ...accountColumns(holds.map(({ account }) => account)),
      binaryColumn('uuid', holds, ({ id }) => id),
      binaryColumn('timestamptz', holds, ({ expiresAt }) => expiresAt),
    ],
  }
}

type HoldMoveRow = HoldMove & { readonly journalId: string; readonly position: number }

function holdMovesOf(entries: readonly Entry[]): [freeing: HoldMoveRow[], reserving: HoldMoveRow[]] {
  const moves = entries.flatMap(({ journal, holdMoves }) =>
    holdMoves.map((move, position) => ({ journalId: journal.id, position, ...move })),
  )
  return [moves.filter(({ act }) => act !== 'reserve'), moves.filter(({ act }) => act === 'reserve')]
}

function insertHoldMoves(moves: readonly HoldMoveRow[]): Statement {
  return {
    name: 'ledger_insert_hold_moves',
    text: `
      insert into ledger_hold_moves (journal_id, position, hold_id, act, amount)
      select * from unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::ledger_hold_act[], $5::numeric[])`,
    values: [
      binaryColumn('uuid', moves, ({ journalId }) => journalId),
      binaryColumn('smallint', moves, ({ position }) => position),
      binaryColumn('uuid', moves, ({ holdId }) => holdId),
      plainArray(moves.map(({ act }) => act)),
      binaryColumn('numeric', moves, ({ amount }) => amount),
    ],
  }
}

function insertTransfers(entries: readonly Entry[]): Statement[] {
  const rows = entries.flatMap(({ journal, posting }) =>
    posting.transfers.map(({ from, to, amount }, position) => ({ journalId: journal.id, position, from, to, amount })),
  )
  if (rows.length === 0) return []
  const insert = {
    name: 'ledger_insert_transfers',
    text: `
      insert into ledger_transfers (journal_id, position, book_id, from_kind, to_kind, from_owner, to_owner, amount)
      select * from unnest($1::uuid[], $2::smallint[], $3::smallint[], $4::ledger_account_kind[], $5::ledger_account_kind[],
        $6::uuid[], $7::uuid[], $8::numeric[])`,
    values: [
      binaryColumn('uuid', rows, ({ journalId }) => journalId),
      binaryColumn('smallint', rows, ({ position }) => position),
      binaryColumn('smallint', rows, ({ from }) => from.bookId),
      plainArray(rows.map(({ from }) => from.kind)),
      plainArray(rows.map(({ to }) => to.kind)),
      binaryColumn('uuid', rows, ({ from }) => from.ownerId),
      binaryColumn('uuid', rows, ({ to }) => to.ownerId),
      binaryColumn('numeric', rows, ({ amount }) => amount),
    ],
  }
  return [insert]
}

function documentsByTable(entries: readonly Entry[]): Map<DocumentTable, Document['row'][]> {
  const tables = new Map<DocumentTable, Document['row'][]>()
  for (const { posting } of entries)
    for (const { table, row } of posting.documents ?? []) {
      const rows = tables.get(table)
      if (rows === undefined) tables.set(table, [row])
      else rows.push(row)
    }
  return tables
}
