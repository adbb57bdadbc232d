import { hash } from 'node:crypto'
import { CsvError, parse } from 'csv-parse/sync'
import { ScripError } from '../base/errors.ts'
import { parseAmount } from '../currency/amount.ts'
import { type CatalogueCurrency, findCurrency } from '../currency/store.ts'
import { ensureBook } from '../ledger/book.ts'
import { readAvailable } from '../ledger/store.ts'
import { readCode } from '../voucher/code.ts'
import { type Issuer, type IssueTools, readExpiry } from '../voucher/issue.ts'
import { voucherError } from '../voucher/errors.ts'
import { findVouchers } from '../voucher/store.ts'
import { batchError } from './errors.ts'
import { type ImportedRow, packRows } from './import-rows.ts'
import { once, type PaidBatch } from './pay-batch.ts'

export type ImportAsk = {
  /** The file: code and balance, and maybe pin and expires, named in its first line. */
  readonly csv: string
  readonly currency: string
  readonly reference: string
  /** What a trial of the same file gave. Without it, this is a trial. */
  readonly confirmation?: string | undefined
}

/** What is wrong with a row, in words for whoever made the file. Its line is counted as a spreadsheet does. */
type RowFault = { readonly line: number; readonly column: string; readonly reason: string }

export type Tried = {
  readonly size: number
  readonly total: bigint
  readonly currency: CatalogueCurrency
  readonly faults: readonly RowFault[]
  /** The balance is enough for all of it. */
  readonly isCovered: boolean
  readonly confirmation: string
}

export type Imported = { readonly tried: Tried } | { readonly paid: PaidBatch }

const rowsMax = 10_000
const columnNames = ['code', 'balance', 'pin', 'expires']

/**
 * Brings codes and balances of another system along. The first time a file is only tried; sent again with the confirmation that
 * the trial gave, it is imported, or nothing of it.
 */
export async function importVouchers(tools: IssueTools, issuer: Issuer, ask: ImportAsk): Promise<Imported> {
  const currency = await findCurrency(tools.pool, ask.currency)
  const confirmation = hash('sha256', JSON.stringify([issuer.environmentId, currency.code, ask.csv]), 'hex')
  if (ask.confirmation === undefined) return { tried: await tryImport(tools, issuer, ask, currency, confirmation) }
  if (ask.confirmation !== confirmation) throw batchError('IMPORT_UNCONFIRMED', { param: 'confirmation' })
  const asked = JSON.stringify(['voucher.import', confirmation])
  const paid = await once(tools, issuer, { reference: ask.reference, asked }, async () => {
    const { rows, faults, total } = await readRows(tools, issuer, ask.csv, currency)
    if (faults.length > 0) throw batchError('IMPORT_ROWS_BAD', { faults })
    const bookId = await ensureBook(tools.pool, issuer.mode, currency.code)
    // Shorter codes than ours can be guessed, so they are worth something at their own merchant only.
    const onlyAt = [issuer.environmentId]
    const each = { amount: undefined, expiresAt: undefined, rows: packRows(rows) }
    return { currency, bookId, size: rows.length, total, onlyAt, ...each }
  })
  return { paid }
}

async function tryImport(
  tools: IssueTools,
  issuer: Issuer,
  { csv }: ImportAsk,
  currency: CatalogueCurrency,
  confirmation: string,
): Promise<Tried> {
  const { rows, faults, total } = await readRows(tools, issuer, csv, currency)
  const bookId = await ensureBook(tools.pool, issuer.mode, currency.code)
  const balance = { bookId, ownerId: issuer.environmentId, kind: 'merchant' } as const
  const isCovered = (await readAvailable(tools.pool, balance, tools.clock())) >= total
  return { size: rows.length, total, currency, faults, isCovered, confirmation: faults.length > 0 ? '' : confirmation }
}

type Line = { readonly line: number; readonly cells: Readonly<Record<string, string>> }

async function readRows(
  tools: IssueTools,
  issuer: Issuer,
  csv: string,
  currency: CatalogueCurrency,
): Promise<{ rows: ImportedRow[]; faults: RowFault[]; total: bigint }> {
  const lines = readLines(csv)
  const faults: RowFault[] = []
  const rows: ImportedRow[] = []
  const lineOf = new Map<string, number>()
  const expiries = new Map<string, Promise<Date | undefined>>()
  for (const { line, cells } of lines) {
    const check = <T>(column: string, read: () => T): T | undefined => {
      try {
        return read()
      } catch (error) {
        faults.push({ line, column, reason: wordsOf(error) })
        return undefined
      }
    }
    const { code = '', balance = '', pin = '', expires = '' } = cells
    check('code', () => noteCode(lineOf, code, line))
    const amount = check('balance', () => parseAmount(balance, currency).minor)
    check('pin', () => checkPinForm(pin))
    // Most rows say the same date.
    const end = expiries.get(expires) ?? readExpiry(tools, issuer, expires === '' ? undefined : expires)
    expiries.set(expires, end)
    const expiresAt = await end.catch((error: unknown) =>
      check('expires', () => {
        throw error
      }),
    )
    rows.push({ code, amount: amount ?? 0n, pin: pin === '' ? undefined : pin, expiresAt })
  }
  faults.push(...(await findTaken(tools, issuer, lineOf)))
  faults.sort((a, b) => a.line - b.line)
  return { rows, faults, total: rows.reduce((sum, { amount }) => sum + amount, 0n) }
}

function readLines(csv: string): Line[] {
  let records: string[][]
  try {
    records = parse(csv, { bom: true, trim: true, skip_empty_lines: true, to: rowsMax + 2 })
  } catch (error) {
    const line = error instanceof CsvError ? (error as CsvError & { lines?: number }).lines : undefined
    throw batchError('IMPORT_UNREADABLE', { param: 'csv', ...(line !== undefined && { line }) }, error)
  }
  const [head = [], ...body] = records
  const names = head.map((name) => name.toLowerCase())
  const isKnown = names.every((name) => columnNames.includes(name)) && new Set(names).size === names.length
  if (!isKnown || !names.includes('code') || !names.includes('balance'))
    throw batchError('IMPORT_COLUMNS', { param: 'csv' })
  if (body.length === 0) throw batchError('IMPORT_EMPTY', { param: 'csv' })
  if (body.length > rowsMax) throw batchError('IMPORT_TOO_LONG', { param: 'csv' })
  return body.map((cells, i) => ({
    line: i + 2,
    cells: Object.fromEntries(names.map((name, column) => [name, cells[column] ?? ''])),
  }))
}

function noteCode(lineOf: Map<string, number>, code: string, line: number): void {
  // Nothing that a spreadsheet would take for a formula when it gets the code back.
  if (!/^[0-9A-Za-z][0-9A-Za-z -]*$/.test(code)) throw voucherError('VOUCHER_CODE_MISTYPED')
  const { symbols } = readCode(code)
  const before = lineOf.get(symbols)
  if (before !== undefined) throw new RowError(`The code is the same as in line ${before}.`)
  lineOf.set(symbols, line)
}

function checkPinForm(pin: string): void {
  if (!/^(\d{4})?$/.test(pin)) throw new RowError('A pin has 4 digits.')
}

/** Codes that are vouchers of this merchant already. */
async function findTaken(
  { pool, clock, keyRing }: IssueTools,
  { environmentId }: Issuer,
  lineOf: ReadonlyMap<string, number>,
): Promise<RowFault[]> {
  if (lineOf.size === 0) return []
  const codes = [...lineOf.keys()].map((symbols) => ({ symbols, isOurs: false }))
  const hashes = codes.map((code) => keyRing.hashesOf(code, environmentId))
  const known = await findVouchers(pool, hashes, clock())
  return codes.flatMap(({ symbols }, i) => {
    const isTaken = hashes[i]?.some((one) => known.has(one)) === true
    const line = lineOf.get(symbols) ?? 0
    return isTaken ? [{ line, column: 'code', reason: 'You have a voucher with this code already.' }] : []
  })
}

class RowError extends Error {}

function wordsOf(error: unknown): string {
  if (error instanceof ScripError && error.code === 'VOUCHER_CODE_MISTYPED')
    return 'A code has 6 to 40 letters and digits, with dashes or spaces between them if you like.'
  if (error instanceof ScripError || error instanceof RowError) return error.message
  throw error
}
