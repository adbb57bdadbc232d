// The tables of the ledger as far as posting needs them, and the statements of a transaction on them.
import type { Account, AccountKind } from '../../server/src/ledger/account.ts'
import { mayGoNegative, nameOf } from '../../server/src/ledger/account.ts'
import { serverError } from './errors.ts'

type AccountRow = { readonly account: Account; balance: bigint; held: bigint; version: bigint }
type HoldRow = { readonly id: string; readonly account: Account; readonly expiresAt: Date; remaining: bigint }
export type JournalRow = {
  readonly keyHash: string
  readonly id: string
  readonly fingerprint: string
  readonly alternative: number
  readonly postedAt: Date
}
type TransferRow = { readonly journalId: string; readonly from: Account; readonly to: Account; readonly amount: bigint }

/** What is committed. */
export type Tables = {
  readonly accounts: Map<string, AccountRow>
  readonly holds: Map<string, HoldRow>
  /** By key. */
  readonly journals: Map<string, JournalRow>
  readonly journalIds: Set<string>
  readonly transfers: TransferRow[]
  readonly documents: { readonly table: string; readonly count: number }[]
}

export function createTables(): Tables {
  return {
    accounts: new Map(),
    holds: new Map(),
    journals: new Map(),
    journalIds: new Set(),
    transfers: [],
    documents: [],
  }
}

/** What a transaction has written. Others see it after the commit. */
export type Written = Omit<Tables, 'journalIds'>

export function commitWritten(tables: Tables, written: Written): void {
  for (const [name, row] of written.accounts) tables.accounts.set(name, row)
  for (const [id, row] of written.holds) tables.holds.set(id, row)
  for (const [key, row] of written.journals) {
    tables.journals.set(key, row)
    tables.journalIds.add(row.id)
  }
  tables.transfers.push(...written.transfers)
  tables.documents.push(...written.documents)
}

/** The row as this transaction sees it, as a copy that it may change. */
function accountIn(tables: Tables, written: Written, account: Account): AccountRow {
  const name = nameOf(account)
  const own = written.accounts.get(name)
  if (own !== undefined) return own
  const row = tables.accounts.get(name)
  // The trigger of the real table reports a transfer that names no account.
  if (row === undefined) throw serverError('P0001')
  const copy = { ...row }
  written.accounts.set(name, copy)
  return copy
}

function refuseUncovered({ account, balance, held }: AccountRow): void {
  if (!mayGoNegative(account.kind) && balance < held) throw serverError('23514', 'ledger_accounts_covered')
}

/** Reads a PostgreSQL array: in binary, or as a text of plain values. */
export function readArray(array: unknown): string[] {
  if (Buffer.isBuffer(array)) return readBinaryArray(array)
  const inner = String(array).slice(1, -1)
  return inner === '' ? [] : inner.split(',')
}

function readBinaryArray(array: Buffer): string[] {
  const typeId = array.readInt32BE(8)
  const count = array.readInt32BE(12)
  const values: string[] = []
  let at = 20
  for (let i = 0; i < count; i++) {
    const size = array.readInt32BE(at)
    values.push(readBinary(typeId, array.subarray(at + 4, at + 4 + Math.max(size, 0))))
    at += 4 + Math.max(size, 0)
  }
  return values
}

const readers: Readonly<Record<number, (bytes: Buffer) => string>> = {
  16: (bytes) => String(bytes[0] === 1),
  20: (bytes) => bytes.readBigInt64BE().toString(),
  21: (bytes) => bytes.readInt16BE().toString(),
  25: (bytes) => bytes.toString(),
  114: (bytes) => bytes.toString(),
  1184: (bytes) => new Date(Number(bytes.readBigInt64BE() / 1_000n) + Date.UTC(2000, 0, 1)).toISOString(),
  1700: readNumeric,
  2950: (bytes) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
}

function readBinary(typeId: number, bytes: Buffer): string {
  const read = readers[typeId]
  if (read === undefined) throw serverError('42804')
  return bytes.length === 0 && typeId !== 25 ? '' : read(bytes)
}

function readNumeric(bytes: Buffer): string {
  const groups = bytes.readInt16BE(0)
  const weight = bytes.readInt16BE(2)
  let value = 0n
  for (let i = 0; i <= weight; i++) value = value * 10_000n + (i < groups ? BigInt(bytes.readInt16BE(8 + 2 * i)) : 0n)
  return (bytes.readUInt16BE(4) === 0x4000 ? -value : value).toString()
}

export function readAccounts([books, owners, kinds]: readonly unknown[]): Account[] {
  const [bookIds, ownerIds, names] = [readArray(books), readArray(owners), readArray(kinds)]
  return ownerIds.map((ownerId, i) => ({
    bookId: Number(bookIds[i]),
    ownerId,
    kind: (names[i] ?? '') as AccountKind,
  }))
}

/** Digests are stored as uuids. */
export function readDigests(array: unknown): string[] {
  return readArray(array).map((id) => id.replaceAll('-', ''))
}

export function readJournals([ids, keys, fingerprints, , alternatives, at]: readonly unknown[]): JournalRow[] {
  const [keyHashes, prints, numbers] = [readDigests(keys), readDigests(fingerprints), readArray(alternatives)]
  return readArray(ids).map((id, i) => ({
    id,
    keyHash: keyHashes[i] ?? '',
    fingerprint: prints[i] ?? '',
    alternative: Number(numbers[i]),
    postedAt: new Date(String(at)),
  }))
}

export function insertTransfers(tables: Tables, written: Written, values: readonly unknown[]): void {
  const [journalIds = [], , books = [], fromKinds = [], toKinds = [], froms = [], tos = [], amounts = []] =
    values.map(readArray)
  for (const [i, journalId] of journalIds.entries()) {
    const bookId = Number(books[i])
    const from = { bookId, ownerId: froms[i] ?? '', kind: (fromKinds[i] ?? '') as AccountKind }
    const to = { bookId, ownerId: tos[i] ?? '', kind: (toKinds[i] ?? '') as AccountKind }
    const amount = BigInt(amounts[i] ?? 0)
    written.transfers.push({ journalId, from, to, amount })
    const [payer, payee] = [accountIn(tables, written, from), accountIn(tables, written, to)]
    payer.balance -= amount
    payee.balance += amount
    payer.version++
    payee.version++
  }
  for (const row of written.accounts.values()) refuseUncovered(row)
}

export function insertAccounts(written: Written, accounts: readonly Account[]): void {
  for (const account of accounts) written.accounts.set(nameOf(account), { account, balance: 0n, held: 0n, version: 0n })
}

export function insertHolds(written: Written, values: readonly unknown[]): void {
  const [ids, ends] = [readArray(values[3]), readArray(values[4])]
  for (const [i, account] of readAccounts(values).entries()) {
    const id = ids[i] ?? ''
    written.holds.set(id, { id, account, expiresAt: new Date(ends[i] ?? 0), remaining: 0n })
  }
}

export function insertHoldMoves(tables: Tables, written: Written, values: readonly unknown[]): void {
  const [, , holdIds = [], acts = [], amounts = []] = values.map(readArray)
  for (const [i, id] of holdIds.entries()) {
    const hold = written.holds.get(id) ?? { ...(tables.holds.get(id) ?? missing()) }
    written.holds.set(id, hold)
    const amount = BigInt(amounts[i] ?? 0) * (acts[i] === 'reserve' ? 1n : -1n)
    hold.remaining += amount
    if (hold.remaining < 0n) throw serverError('23514', 'ledger_holds_not_overdrawn')
    const row = accountIn(tables, written, hold.account)
    row.held += amount
    refuseUncovered(row)
  }
}

function missing(): never {
  throw serverError('P0001')
}
