import { binaryArray } from '../base/binary-array.ts'
import type { Clock } from '../base/clock.ts'
import { allOrFirstError, type Client, type Db, type Pool, rollBack, type Tx } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import { oneOf, orNull } from '../base/column-type.ts'
import { execute, queryTuples, selectValue, sql } from '../base/sql.ts'
import { type Account, accountKinds, type AccountState, accountStates, mayGoNegative, nameOf } from './account.ts'
import type { AccountFacts, HoldFacts, JournalRecord, LedgerFacts } from './decide.ts'
import { plainArray } from './document.ts'
import { ledgerError } from './errors.ts'
import { accountsOf, digest, type Journal, type Posted } from './journal.ts'
import { accountColumns, accountsToLock, lockAccounts, lockClause } from './lock.ts'

/** The book, the owner and the kind, which name an account. */
const accountName = [sql.smallint, sql.uuid, oneOf(accountKinds)] as const
const accountRow = [...accountName, oneOf(accountStates), sql.numeric, sql.numeric] as const

/** Locks the accounts of the journals, then reads what is needed to decide them, in one round trip. */
export async function lockAndRead(
  client: Client,
  journals: readonly Journal[],
  clock: Clock,
): Promise<{ facts: LedgerFacts; at: Date }> {
  const keyDigests = [...new Set(journals.map(({ key }) => digest(key)))]
  const locking = queryTuples(client, accountRow, {
    name: 'ledger_lock',
    text: lockAccounts,
    values: accountColumns(accountsToLock(journals)),
  })
  // A separate statement after the locks: a retry waits for the accounts of the original journal, and then sees it.
  const reading = readRecords(client, keyDigests)
  const limiting = readDeskLimits(client, journals)
  const [rows, records, deskLimits] = await allOrFirstError([locking, reading, limiting])

  const accounts = new Map<string, AccountFacts>()
  const withHolds: Account[] = []
  for (const [bookId, ownerId, kind, state, balance, held] of rows) {
    const account = { bookId, ownerId, kind }
    accounts.set(nameOf(account), { account, state, mayGoNegative: mayGoNegative(kind), balance, held })
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
  const free = await namesOf(lockAccounts.replace(lockClause, `${lockClause} skip locked`))
  const existing = await namesOf(lockAccounts.replace(lockClause, ''))
  await client.query('rollback')
  return accounts.filter((account) => existing.has(nameOf(account)) && !free.has(nameOf(account)))
}

/** Waits until the account can be locked, then unlocks it. Returns false after the timeout. */
export async function isLockable(pool: Pool, account: Account, timeoutMs: number): Promise<boolean> {
  const client = await pool.connect()
  try {
    await client.query(`begin; set local lock_timeout = ${timeoutMs}`)
    await client.query(lockAccounts, accountColumns([account]))
    return true
  } catch (error) {
    if (hasCode(error, '55P03')) return false
    throw error
  } finally {
    client.release(await rollBack(client))
  }
}

/** What was posted under these keys. Most keys are new, and then their journals are not looked for. */
async function readRecords(db: Db, keyDigests: string[]): Promise<Map<string, JournalRecord>> {
  const found = await queryTuples(db, [sql.uuid, sql.uuid], {
    name: 'ledger_keys_taken',
    // Each key is looked for in its part of the table alone. The limit keeps PostgreSQL from reading all keys for a hash join.
    text: `select wanted.key_hash, k.journal_id from unnest($1::uuid[]) as wanted (key_hash)
      cross join lateral (select journal_id from ledger_keys where key_hash = wanted.key_hash limit 1) k`,
    values: [binaryArray('uuid', keyDigests)],
  })
  if (found.length === 0) return new Map()
  const journals = await readJournals(
    db,
    found.map(([, journalId]) => journalId),
  )
  return new Map(found.map(([key, journalId]) => [key.replaceAll('-', ''), recordOf(key, journalId, journals)]))
}

const journalRow = [sql.uuid, sql.uuid, sql.uuid, sql.smallint, sql.timestamptz] as const
type JournalTuple = readonly [id: string, key: string, fingerprint: string, alternative: number, postedAt: Date]

async function readJournals(db: Db, ids: string[]): Promise<Map<string, JournalTuple>> {
  const rows = await queryTuples(db, journalRow, {
    name: 'ledger_records',
    text: `select id, key_hash, fingerprint, alternative, posted_at from all_journals where id = any($1::uuid[])`,
    values: [binaryArray('uuid', ids)],
  })
  return new Map(rows.map((row) => [row[0], row]))
}

/** A reference that a visitor claimed is registered for a journal with a key of its own: any request for it is another one. */
function recordOf(key: string, journalId: string, journals: ReadonlyMap<string, JournalTuple>): JournalRecord {
  const [, ownKey, fingerprint = '', alternative = 0, postedAt = new Date(0)] = journals.get(journalId) ?? []
  return { journalId, fingerprint: ownKey === key ? fingerprint.replaceAll('-', '') : '', alternative, postedAt }
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
    values: [...accountColumns(accounts), binaryArray('uuid', ids), at],
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
