import { type CsvRow, readCsvRows } from '../../base/csv-rows.ts'
import { ScripError } from '../../base/errors.ts'
import { parseAmount } from '../../catalogue/currency/amount.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { readCode } from '../code/code.ts'
import { voucherError } from '../code/errors.ts'
import { readExpiries } from '../voucher/expiry.ts'
import type { Issuer, IssueTools } from '../voucher/issue.ts'
import { batchError } from './errors.ts'
import type { ImportedRow } from './import-rows.ts'
import { findTakenCodes } from './taken-codes.ts'

/** An error in a row, with the line number that a text editor shows. */
export type RowFault = { readonly line: number; readonly column: string; readonly reason: string }

const rowsMax = 10_000
// Enough to see what is wrong with a file.
const faultsMax = 100
const columnNames = ['code', 'balance', 'pin', 'expires']

type CheckedRows = { readonly rows: ImportedRow[]; readonly faults: RowFault[]; readonly total: bigint }

/** Parses and checks the rows of an import file. */
export async function readRows(
  tools: IssueTools,
  issuer: Issuer,
  csv: string,
  currency: CatalogueCurrency,
): Promise<CheckedRows> {
  const lines = readLines(csv)
  const texts = [...new Set(lines.map(({ cells }) => cells.expires ?? ''))].filter((text) => text !== '')
  const expiries = await readExpiries(tools, issuer, texts)
  const faults: RowFault[] = []
  const rows: ImportedRow[] = []
  const lineOf = new Map<string, number>()
  for (const { line, cells } of lines) {
    if (faults.length >= faultsMax) break
    const check = <T>(column: string, read: () => T): T | undefined => {
      try {
        return read()
      } catch (error) {
        faults.push({ line, column, reason: reasonOf(error) })
        return undefined
      }
    }
    const { code = '', balance = '', pin = '', expires = '' } = cells
    check('code', () => noteCode(lineOf, code, line))
    const amount = check('balance', () => parseAmount(balance, currency).minor)
    check('pin', () => checkPinForm(pin))
    const expiresAt = expires === '' ? undefined : check('expires', () => knownExpiry(expiries.get(expires)))
    rows.push({ code, amount: amount ?? 0n, pin: pin === '' ? undefined : pin, expiresAt })
  }
  const taken = await findTakenCodes(tools, issuer.environmentId, [...lineOf.keys()])
  for (const symbols of taken) {
    const reason = 'You already have a voucher with this code.'
    faults.push({ line: lineOf.get(symbols) ?? 0, column: 'code', reason })
  }
  faults.sort((a, b) => a.line - b.line)
  return { rows, faults: faults.slice(0, faultsMax), total: rows.reduce((sum, { amount }) => sum + amount, 0n) }
}

const importErrors = {
  unreadable: 'IMPORT_UNREADABLE',
  columns: 'IMPORT_COLUMNS',
  empty: 'IMPORT_EMPTY',
  too_long: 'IMPORT_TOO_LONG',
} as const

function readLines(csv: string): CsvRow[] {
  return readCsvRows(csv, {
    columns: columnNames,
    required: ['code', 'balance'],
    rowsMax,
    refuse: (why, line, cause) =>
      batchError(importErrors[why], { param: 'csv', ...(line !== undefined && { line }) }, cause),
  })
}

function noteCode(lineOf: Map<string, number>, code: string, line: number): void {
  // Excludes codes that a spreadsheet would read as a formula after an export.
  if (!/^[0-9A-Za-z][0-9A-Za-z -]*$/.test(code)) throw voucherError('VOUCHER_CODE_MISTYPED')
  const { symbols } = readCode(code)
  const before = lineOf.get(symbols)
  if (before !== undefined) throw new RowError(`The code is the same as in line ${before}.`)
  lineOf.set(symbols, line)
}

function checkPinForm(pin: string): void {
  if (!/^(\d{4})?$/.test(pin)) throw new RowError('A PIN has 4 digits.')
}

function knownExpiry(at: Date | undefined): Date {
  if (at === undefined) throw voucherError('EXPIRY_INVALID')
  return at
}

class RowError extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof ScripError && error.code === 'VOUCHER_CODE_MISTYPED')
    return 'A code has 6 to 40 letters and digits, optionally with dashes or spaces between them.'
  if (error instanceof ScripError || error instanceof RowError) return error.message
  throw error
}
