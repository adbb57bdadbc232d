import type { Clock } from '../base/clock.ts'
import { allOrFirstError, type Client, type Db, type Pool, rollBack, sendTogether, type Tx } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import type { NewId } from '../base/id.ts'
import { oneOf, orNull } from '../base/column-type.ts'
import { execute, queryTuples, selectValue, sql } from '../base/sql.ts'
import { type Account, accountKinds, type AccountState, accountStates, mayGoNegative, nameOf } from './account.ts'
import {
  type AccountFacts,
  type Decided,
  type HoldFacts,
  type HoldMove,
  type JournalRecord,
  type LedgerFacts,
  type NumberedEvent,
  numberEvents,
} from './decide.ts'
import { type Document, type DocumentTable, plainArray, plainColumns } from './document.ts'
import { ledgerError } from './errors.ts'
import { type Event, haveDuplicates, isAccount } from './event.ts'
import { accountsOf, digest, type Journal, type Posted } from './journal.ts'

/** The book, the owner and the kind, which name an account. */
const accountName = [sql.smallint, sql.uuid, oneOf(accountKinds)] as const
const accountRow = [...accountName, oneOf(accountStates), sql.numeric, sql.numeric, sql.bigint] as const

// Locks the rows in the order of the arrays, which are sorted, so that overlapping batches queue up instead of deadlocking.
// A row that had to be waited for is returned as it is after the wait.
const lockAccounts = (wait: '' | 'skip locked') => `
  select a.book_id, a.owner_id, a.kind, a.state, a.balance, a.held, a.version
  from unnest($1::smallint[], $2::uuid[], $3::ledger_account_kind[]) as wanted (book_id, owner_id, kind)
  cross join lateral (
    select * from ledger_accounts a
    where a.book_id = wanted.book_id and a.owner_id = wanted.owner_id and a.kind = wanted.kind
    for no key update ${wait}
  ) a`

/** All accounts of the journals, without duplicates, in lock order. */
function accountsToLock(journals: readonly Journal[]): Account[] {
  const accounts = new Map<string, Account>()
  for (const journal of journals) for (const account of accountsOf(journal)) accounts.set(nameOf(account), account)
  const names = [...accounts.keys()].sort()
  return names.flatMap((name) => accounts.get(name) ?? [])
}

function accountColumns(accounts: readonly Account[]): string[] {
  return plainColumns(accounts, 'bookId', 'ownerId', 'kind')
}

/** Locks the accounts of the journals, then reads what is needed to decide them, in one round trip. */
export async function lockAndRead(
  client: Client,
  journals: readonly Journal[],
  clock: Clock,
): Promise<{ facts: LedgerFacts; at: Date }> {
  const keyDigests = [...new Set(journals.map(({ key }) => digest(key)))]
  const locking = queryTuples(client, accountRow, {
    name: 'ledger_lock',
    text: lockAccounts(''),
    values: accountColumns(accountsToLock(journals)),
  })
  // A separate statement after the locks: a retry waits for the accounts of the original journal, and then sees it.
  const reading = readRecords(client, keyDigests)
  const limiting = readDeskLimits(client, journals)
  const [rows, records, deskLimits] = await allOrFirstError([locking, reading, limiting])

  const accounts = new Map<string, AccountFacts>()
  const withHolds: Account[] = []
  for (const [bookId, ownerId, kind, state, balance, held, version] of rows) {
    const account = { bookId, ownerId, kind }
    accounts.set(nameOf(account), { account, state, mayGoNegative: mayGoNegative(kind), balance, held, version })
    if (held !== 0n) withHolds.push(account)
  }
  const namedHolds = journals.flatMap(({ alternatives }) =>
    alternatives.flatMap(({ holds = [] }) => holds.map(({ holdId }) => holdId)),
  )
  const at = clock()
  const hasHolds = withHolds.length + namedHolds.length > 0
  const holds = hasHolds ? await readHolds(client, withHolds, namedHolds, at) : new Map<string, HoldFacts>()
  return { facts: { accounts, holds, records, deskLimits }, at }
}

/** The most that the exchange desks of these journals may owe, by book. Sends no query if no journal uses a desk. */
async function readDeskLimits(client: Client, journals: readonly Journal[]): Promise<Map<number, bigint>> {
  const books = new Set<number>()
  for (const journal of journals)
    for (const { bookId, kind } of accountsOf(journal)) if (kind === 'exchange') books.add(bookId)
  if (books.size === 0) return new Map()
  const rows = await queryTuples(client, [sql.smallint, orNull(sql.numeric)], {
    name: 'ledger_desk_limits',
    text: 'select id, ledger_desk_limit(id) from ledger_books where id = any($1::smallint[])',
    values: [plainArray([...books])],
  })
  return new Map(rows.flatMap(([id, limit]) => (limit === null ? [] : [[id, limit] as const])))
}

/** Returns the accounts of the journals that another transaction has locked right now. */
export async function findBusyAccounts(client: Client, journals: readonly Journal[]): Promise<Account[]> {
  const accounts = accountsToLock(journals)
  const values = accountColumns(accounts)
  const namesOf = async (text: string): Promise<Set<string>> => {
    const rows = await queryTuples(client, accountRow, { text, values })
    return new Set(rows.map(([bookId, ownerId, kind]) => nameOf({ bookId, ownerId, kind })))
  }
  await client.query('begin')
  const free = await namesOf(lockAccounts('skip locked'))
  const existing = await namesOf(lockAccounts('skip locked').replace('for no key update skip locked', ''))
  await client.query('rollback')
  return accounts.filter((account) => existing.has(nameOf(account)) && !free.has(nameOf(account)))
}

/** Waits until the account can be locked, then unlocks it. Returns false after the timeout. */
export async function isLockable(pool: Pool, account: Account, timeoutMs: number): Promise<boolean> {
  const client = await pool.connect()
  try {
    await client.query(`begin; set local lock_timeout = ${timeoutMs}`)
    await client.query(lockAccounts(''), accountColumns([account]))
    return true
  } catch (error) {
    if (hasCode(error, '55P03')) return false
    throw error
  } finally {
    client.release(await rollBack(client))
  }
}

async function readRecords(db: Db, keyDigests: string[]): Promise<Map<string, JournalRecord>> {
  const rows = await queryTuples(db, [sql.uuid, sql.uuid, sql.uuid, sql.smallint, sql.timestamptz], {
    name: 'ledger_records',
    text: `select key_hash, id, fingerprint, alternative, posted_at from ledger_journals where key_hash = any($1::uuid[])`,
    values: [plainArray(keyDigests)],
  })
  return new Map(
    rows.map(([key, journalId, fingerprint, alternative, postedAt]) => [
      key.replaceAll('-', ''),
      { journalId, fingerprint: fingerprint.replaceAll('-', ''), alternative, postedAt },
    ]),
  )
}

/** Returns the result of an earlier journal with this key. For use cases that check rules of their own afterwards. */
export async function findPosted(db: Db, key: string, requestFingerprint: string): Promise<Posted | undefined> {
  const posted = findAnswer((await findRecords(db, [key]))[0], requestFingerprint)
  if (posted === 'conflict') throw ledgerError('LEDGER_KEY_CONFLICT')
  return posted
}

/** Returns what was posted under each key, in the order of the keys. */
export async function findRecords(db: Db, keys: readonly string[]): Promise<(JournalRecord | undefined)[]> {
  const digests = keys.map(digest)
  const records = await readRecords(db, [...new Set(digests)])
  return digests.map((key) => records.get(key))
}

/** Turns a record into the result of a retry, or 'conflict' if the retry has a different fingerprint. */
export function findAnswer(
  record: JournalRecord | undefined,
  requestFingerprint: string,
): Posted | 'conflict' | undefined {
  if (record === undefined) return undefined
  if (record.fingerprint !== digest(requestFingerprint)) return 'conflict'
  const { journalId, alternative, postedAt } = record
  return { journalId, alternative, postedAt, replayed: true }
}

/** Publishes events without a journal, in the caller's transaction. Accounts that they are about stay locked until it ends. */
export async function publishEvents(tx: Tx, events: readonly Event[], { clock, newId }: PublishTools): Promise<void> {
  if (haveDuplicates(events)) throw new Error('At most one event per object and environment.')
  const accounts = events.flatMap(({ about }) => (isAccount(about) ? [about] : []))
  const versions = accounts.length > 0 ? await raiseVersions(tx, accounts) : new Map<string, bigint>()
  const numbered = numberEvents(events, (account) => versions.get(nameOf(account)), newId)
  await tx.query(insertOutbox, outboxColumns([{ journal: undefined, events: numbered }], clock()))
}
export type PublishTools = { readonly clock: Clock; readonly newId: NewId }

async function raiseVersions(tx: Tx, accounts: readonly Account[]): Promise<Map<string, bigint>> {
  await lockAccountsOf(tx, accounts)
  const rows = await queryTuples(tx, [...accountName, sql.bigint], {
    text: `update ledger_accounts a set version = a.version + 1
      from unnest($1::smallint[], $2::uuid[], $3::ledger_account_kind[]) as changed (book_id, owner_id, kind)
      where a.book_id = changed.book_id and a.owner_id = changed.owner_id and a.kind = changed.kind
      returning a.book_id, a.owner_id, a.kind, a.version`,
    values: accountColumns(accounts),
  })
  return new Map(rows.map(([bookId, ownerId, kind, version]) => [nameOf({ bookId, ownerId, kind }), version]))
}

/** Balance minus live holds; 0 for an account that was never opened. For display, never for decisions. */
export async function readAvailable(db: Db, { bookId, ownerId, kind }: Account, at: Date): Promise<bigint> {
  const found = await selectValue(db)`
    select ${sql.numeric`balance - held + coalesce((
        select sum(remaining) from ledger_holds h
        where h.owner_id = a.owner_id and h.kind = a.kind and h.book_id = a.book_id and remaining > 0
          and expires_at <= ${at}
      ), 0)`}
      from ledger_accounts a where book_id = ${bookId} and owner_id = ${ownerId} and kind = ${kind}`
  return found ?? 0n
}

/**
 * Locks accounts in the caller's transaction, in the common lock order, before the caller decides what to post. Skips accounts
 * that do not exist.
 */
export async function lockAccountsOf(tx: Tx, accounts: readonly Account[]): Promise<void> {
  const sorted = accounts.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  await tx.query(lockAccounts(''), accountColumns(sorted))
}

/** The caller must have locked the account. */
export async function setAccountState(tx: Tx, account: Account, state: AccountState): Promise<void> {
  const { bookId, ownerId, kind } = account
  await execute(tx)`
    update ledger_accounts set state = ${state} where book_id = ${bookId} and owner_id = ${ownerId} and kind = ${kind}`
}

/** Reads the holds that the journals name, and expired ones. All other holds are included in the account's `held`. */
async function readHolds(
  client: Client,
  accounts: Account[],
  ids: string[],
  at: Date,
): Promise<Map<string, HoldFacts>> {
  const rows = await queryTuples(client, [sql.uuid, ...accountName, sql.timestamptz, sql.numeric], {
    name: 'ledger_holds',
    text: `
      select h.id, h.book_id, h.owner_id, h.kind, h.expires_at, h.remaining
      from unnest($1::smallint[], $2::uuid[], $3::ledger_account_kind[]) as wanted (book_id, owner_id, kind)
      join ledger_holds h using (book_id, owner_id, kind)
      where h.remaining > 0 and h.expires_at <= $5
      union
      select h.id, h.book_id, h.owner_id, h.kind, h.expires_at, h.remaining
      from ledger_holds h where h.id = any($4::uuid[])`,
    values: [...accountColumns(accounts), plainArray(ids), at],
  })
  return new Map(
    rows.map(([id, bookId, ownerId, kind, expiresAt, remaining]) => [
      id,
      { id, account: { bookId, ownerId, kind }, expiresAt, isNew: false, remaining },
    ]),
  )
}

export type DeadHold = { readonly id: string; readonly account: Account }

export async function findDeadHolds(db: Db, at: Date, limit: number): Promise<DeadHold[]> {
  const rows = await queryTuples(db, [sql.uuid, ...accountName], {
    text: `select id, book_id, owner_id, kind from ledger_holds
      where remaining > 0 and expires_at <= $1 order by expires_at limit $2`,
    values: [at, limit],
  })
  return rows.map(([id, bookId, ownerId, kind]) => ({ id, account: { bookId, ownerId, kind } }))
}

/**
 * Sends all inserts without waiting in between. Unique keys and new accounts act as locks, so they are written in sorted order
 * and after the accounts are locked: that prevents deadlocks.
 */
export function write(client: Client, decided: Decided, at: Date): Promise<unknown> {
  const { entries, newAccounts, newHolds } = decided
  // Prepare everything before sending: an error during preparation must not leave half a batch sent.
  const statements: { name: string; text: string; values: unknown[] }[] = []
  const send = (name: string, text: string, values: unknown[]): unknown => statements.push({ name, text, values })

  send('ledger_insert_journals', insertJournals, journalColumns(entries, at))
  if (newAccounts.length > 0) {
    const sorted = newAccounts.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    const negative = plainArray(sorted.map(({ kind }) => mayGoNegative(kind)))
    send('ledger_insert_accounts', insertAccounts, [...accountColumns(sorted), negative])
  }
  if (newHolds.length > 0) send('ledger_insert_holds', insertHolds, holdColumns(newHolds))

  // Release before transfer, transfer before reserve: at no point in between does an account hold less than is reserved.
  const [freeing, reserving] = holdMovesOf(entries)
  if (freeing.length > 0) send('ledger_insert_hold_moves', insertHoldMoves, holdMoveColumns(freeing))
  if (entries.some(({ posting }) => posting.transfers.length > 0))
    send('ledger_insert_transfers', insertTransfers, transferColumns(entries))
  if (reserving.length > 0) send('ledger_insert_hold_moves', insertHoldMoves, holdMoveColumns(reserving))

  for (const [table, rows] of documentsByTable(entries))
    send(`document_${table.name}`, table.insert, table.toColumns(rows))
  if (entries.some(({ events }) => events.length > 0))
    send('ledger_insert_outbox', insertOutbox, outboxColumns(entries, at))
  return allOrFirstError(sendTogether(client, () => statements.map((statement) => client.query(statement))))
}

const insertJournals = `
  insert into ledger_journals (id, key_hash, fingerprint, kind, alternative, posted_at)
  select *, $6::timestamptz from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::smallint[])`
const insertAccounts = `
  insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
  select * from unnest($1::smallint[], $2::uuid[], $3::ledger_account_kind[], $4::boolean[])`
const insertHolds = `
  insert into ledger_holds (book_id, owner_id, kind, id, expires_at)
  select * from unnest($1::smallint[], $2::uuid[], $3::ledger_account_kind[], $4::uuid[], $5::timestamptz[])`
const insertHoldMoves = `
  insert into ledger_hold_moves (journal_id, position, hold_id, act, amount)
  select * from unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::ledger_hold_act[], $5::numeric[])`
const insertTransfers = `
  insert into ledger_transfers (journal_id, position, book_id, from_kind, to_kind, from_owner, to_owner, amount)
  select * from unnest($1::uuid[], $2::smallint[], $3::smallint[], $4::ledger_account_kind[], $5::ledger_account_kind[],
    $6::uuid[], $7::uuid[], $8::numeric[])`
// In decision order, so that the outbox lists the events of each account in the order in which they happened.
const insertOutbox = `
  insert into ledger_outbox (journal_id, event_id, environment_id, object_id, sequence, type, payload, created_at)
  select *, $8::timestamptz
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::text[], $7::json[])`

type Entries = Decided['entries']

function journalColumns(entries: Entries, at: Date): unknown[] {
  const byKey = entries.toSorted((a, b) => (a.keyDigest < b.keyDigest ? -1 : 1))
  return [
    plainArray(byKey.map(({ journal }) => journal.id)),
    ...plainColumns(byKey, 'keyDigest', 'fingerprint'),
    byKey.map(({ journal }) => journal.kind),
    plainArray(byKey.map(({ alternative }) => alternative)),
    at,
  ]
}

function transferColumns(entries: Entries): string[] {
  const columns: (string | number | bigint)[][] = [[], [], [], [], [], [], [], []]
  for (const { journal, posting } of entries)
    for (const [position, { from, to, amount }] of posting.transfers.entries()) {
      const row = [journal.id, position, from.bookId, from.kind, to.kind, from.ownerId, to.ownerId, amount]
      for (const [i, value] of row.entries()) columns[i]?.push(value)
    }
  return columns.map(plainArray)
}

type HoldMoveRow = HoldMove & { readonly journalId: string; readonly position: number }

function holdMovesOf(entries: Entries): [freeing: HoldMoveRow[], reserving: HoldMoveRow[]] {
  const moves = entries.flatMap(({ journal, holdMoves }) =>
    holdMoves.map((move, position) => ({ journalId: journal.id, position, ...move })),
  )
  return [moves.filter(({ act }) => act !== 'reserve'), moves.filter(({ act }) => act === 'reserve')]
}

function holdMoveColumns(moves: readonly HoldMoveRow[]): string[] {
  return plainColumns(moves, 'journalId', 'position', 'holdId', 'act', 'amount')
}

function holdColumns(holds: readonly HoldFacts[]): string[] {
  return [...accountColumns(holds.map(({ account }) => account)), ...plainColumns(holds, 'id', 'expiresAt')]
}

function documentsByTable(entries: Entries): Map<DocumentTable, Document['row'][]> {
  const tables = new Map<DocumentTable, Document['row'][]>()
  for (const { posting } of entries)
    for (const { table, row } of posting.documents ?? []) {
      const rows = tables.get(table)
      if (rows === undefined) tables.set(table, [row])
      else rows.push(row)
    }
  return tables
}

type EntryEvents = { readonly journal: { readonly id: string } | undefined; readonly events: readonly NumberedEvent[] }

function outboxColumns(entries: readonly EntryEvents[], at: Date): unknown[] {
  const rows = entries.flatMap(({ journal, events }) =>
    events.map((event) => ({ ...event, journalId: journal?.id ?? null })),
  )
  return [
    ...plainColumns(rows, 'journalId', 'id', 'environmentId', 'objectId', 'sequence'),
    rows.map(({ type }) => type),
    rows.map(({ data }) => JSON.stringify(data)),
    at,
  ]
}
