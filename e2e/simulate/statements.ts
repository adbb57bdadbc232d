// Runs one statement of posting in a simulated session.
import { type Account, nameOf } from '../../server/src/ledger/account.ts'
import { serverError } from './errors.ts'
import type { Fault, StatementKind } from './faults.ts'
import type { Locks } from './locks.ts'
import {
  commitWritten,
  createTables,
  insertAccounts,
  insertHoldMoves,
  insertHolds,
  insertTransfers,
  readAccounts,
  readArray,
  readDigests,
  readJournals,
  type Tables,
  type Written,
} from './tables.ts'

export type Statement = { readonly name?: string; readonly text: string; readonly values?: readonly unknown[] }

type Transaction = { readonly written: Written; readonly lockTimeoutMs: number; isAborted: boolean }

export type Session = {
  readonly tables: Tables
  readonly locks: Locks
  readonly isReadOnly: () => boolean
  transaction: Transaction | undefined
}

type Result = { readonly command?: string; readonly rows: unknown[][]; readonly fields: object[]; rowCount: number }

export function kindOf({ name = '', text }: Statement): StatementKind {
  // The settings of a round are its first statement.
  if (text.startsWith('begin') || name === 'ledger_settings') return 'begin'
  if (text === 'commit' || text === 'rollback') return text
  if (name.startsWith('ledger_insert') || name.startsWith('document_')) return 'write'
  return text.includes('for no key update') ? 'lock' : 'read'
}

/** An error aborts the transaction, as in PostgreSQL. */
export async function runStatement(session: Session, statement: Statement, fault: Fault | undefined): Promise<Result> {
  try {
    if (fault?.kind === 'deadlock') throw serverError('40P01')
    if (fault?.kind === 'serialisation failure') throw serverError('40001')
    return await run(session, statement)
  } catch (error) {
    if (kindOf(statement) === 'commit') endTransaction(session)
    else if (session.transaction !== undefined) session.transaction.isAborted = true
    throw error
  }
}

async function run(session: Session, statement: Statement): Promise<Result> {
  const { transaction } = session
  const kind = kindOf(statement)
  if (kind === 'commit') return commit(session)
  if (kind === 'rollback') {
    endTransaction(session)
    return done('ROLLBACK')
  }
  if (transaction?.isAborted === true) throw serverError('25P02')
  if (kind === 'begin') return begin(session, statement)
  if (session.isReadOnly() && kind !== 'read') throw serverError('25006')
  if (kind === 'write') return write(session, requireTransaction(transaction), statement)
  if (kind === 'lock') return lockAndOpen(session, requireTransaction(transaction), statement)
  return read(session, statement)
}

function begin(session: Session, { name, text, values = [] }: Statement): Result {
  const [, timeout = '0'] = /lock_timeout = (\d+)/.exec(text) ?? []
  const lockTimeoutMs = Number(name === 'ledger_settings' ? values[0] : timeout)
  session.transaction ??= { written: createTables(), lockTimeoutMs, isAborted: false }
  return done('BEGIN')
}

function requireTransaction(transaction: Transaction | undefined): Transaction {
  // Posting never writes or locks outside of a transaction.
  if (transaction === undefined) throw serverError('25P01')
  return transaction
}

function commit(session: Session): Result {
  const { transaction, tables } = session
  const isCommitted = transaction === undefined || !transaction.isAborted
  if (transaction !== undefined && isCommitted) commitWritten(tables, transaction.written)
  endTransaction(session)
  return done(isCommitted ? 'COMMIT' : 'ROLLBACK')
}

function endTransaction(session: Session): void {
  session.transaction = undefined
  session.locks.releaseAll(session)
}

async function lockAccounts(session: Session, { lockTimeoutMs }: Transaction, statement: Statement): Promise<Result> {
  const { locks, tables } = session
  const locked: Account[] = []
  for (const account of readAccounts(statement.values ?? [])) {
    const name = nameOf(account)
    if (!tables.accounts.has(name)) continue
    if (statement.text.includes('skip locked')) {
      if (locks.tryAcquire(session, `row/${name}`)) locked.push(account)
      continue
    }
    await locks.acquire(session, `row/${name}`, lockTimeoutMs)
    locked.push(account)
  }
  return accountRows(session, locked)
}

/** Opens the accounts that did not exist when the statement began. */
async function lockAndOpen(session: Session, transaction: Transaction, statement: Statement): Promise<Result> {
  const { values = [] } = statement
  const toOpen = statement.name === 'ledger_lock_and_open' ? readAccounts(values.slice(3)) : []
  const missing = toOpen.filter((account) => !session.tables.accounts.has(nameOf(account)))
  const locked = await lockAccounts(session, transaction, statement)
  await openAccounts(session, transaction, missing)
  return locked
}

async function openAccounts(session: Session, transaction: Transaction, accounts: readonly Account[]): Promise<void> {
  for (const account of accounts) {
    const name = nameOf(account)
    await takeName(session, transaction, `account/${name}`, 'ledger_accounts_pkey', () =>
      session.tables.accounts.has(name),
    )
    insertAccounts(transaction.written, [account])
  }
}

function accountRows({ tables }: Session, accounts: readonly Account[]): Result {
  const rows = accounts.flatMap(({ bookId, ownerId, kind }) => {
    const row = tables.accounts.get(nameOf({ bookId, ownerId, kind }))
    return row === undefined ? [] : [[bookId, ownerId, kind, 'open', row.balance, row.held]]
  })
  return found(rows, [types.smallint, types.uuid, types.text, types.text, types.numeric, types.numeric])
}

function read(session: Session, { name = '', values = [] }: Statement): Result {
  const { tables } = session
  if (name === 'ledger_keys_taken') {
    const rows = readDigests(values[0]).flatMap((key) => {
      const row = tables.journals.get(key)
      return row === undefined ? [] : [[row.keyHash, row.id]]
    })
    return found(rows, [types.uuid, types.uuid])
  }
  if (name === 'ledger_records') {
    const ids = new Set(readArray(values[0]))
    const rows = [...tables.journals.values()]
      .filter(({ id }) => ids.has(id))
      .map((row) => [row.id, row.keyHash, row.fingerprint, row.alternative, row.postedAt])
    return found(rows, [types.uuid, types.uuid, types.uuid, types.smallint, types.timestamptz])
  }
  if (name === 'ledger_holds') return readHolds(session, values)
  // The reading half of findBusyAccounts.
  return accountRows(session, readAccounts(values))
}

function readHolds({ tables }: Session, values: readonly unknown[]): Result {
  const wanted = new Set(readAccounts(values).map(nameOf))
  const named = new Set(readArray(values[3]))
  const at = values[4] as Date
  const rows = [...tables.holds.values()]
    .filter(({ id, account, remaining, expiresAt }) => {
      const isDead = wanted.has(nameOf(account)) && remaining > 0n && expiresAt <= at
      return isDead || named.has(id)
    })
    .map(({ id, account: { bookId, ownerId, kind }, expiresAt, remaining }) => [
      id,
      bookId,
      ownerId,
      kind,
      expiresAt,
      remaining,
    ])
  return found(rows, [types.uuid, types.smallint, types.uuid, types.text, types.timestamptz, types.numeric])
}

async function write(session: Session, transaction: Transaction, statement: Statement): Promise<Result> {
  const { tables } = session
  const { written } = transaction
  const { name = '', values = [] } = statement
  switch (name) {
    case 'ledger_insert_journals':
      for (const row of readJournals(values)) {
        await takeName(session, transaction, `key/${row.keyHash}`, 'ledger_keys_p0_pkey', () =>
          tables.journals.has(row.keyHash),
        )
        if (written.journals.has(row.keyHash)) throw serverError('23505', 'ledger_keys_p0_pkey')
        if (tables.journalIds.has(row.id)) throw serverError('23505', 'ledger_journals_pkey')
        written.journals.set(row.keyHash, row)
      }
      break
    case 'ledger_insert_accounts':
      await openAccounts(session, transaction, readAccounts(values))
      break
    case 'ledger_insert_holds':
      insertHolds(written, values)
      break
    case 'ledger_insert_hold_moves':
      insertHoldMoves(tables, written, values)
      break
    case 'ledger_insert_transfers':
      insertTransfers(tables, written, values)
      break
    case 'document_poison':
      throw serverError('23514', 'poison')
    default:
      if (name.startsWith('document_')) written.documents.push({ table: name, count: readArray(values[0]).length })
  }
  return done('INSERT')
}

/** Inserts a unique name: waits for a transaction that has inserted it and is not committed yet. */
async function takeName(
  session: Session,
  { lockTimeoutMs }: Transaction,
  name: string,
  constraint: string,
  isTaken: () => boolean,
): Promise<void> {
  await session.locks.acquire(session, name, lockTimeoutMs).catch((error: unknown) => {
    throw Object.assign(error as Error, { where: 'while inserting index tuple' })
  })
  if (isTaken()) throw serverError('23505', constraint)
}

const types = { uuid: 2950, text: 25, numeric: 1700, smallint: 21, timestamptz: 1184 }

function found(rows: unknown[][], typeIds: readonly number[]): Result {
  return { rows, fields: typeIds.map((dataTypeID) => ({ name: 'value', dataTypeID })), rowCount: rows.length }
}

function done(command: string): Result {
  return { command, rows: [], fields: [], rowCount: 0 }
}
