import { CsvError, parse } from 'csv-parse/sync'
import { ScripError } from '../base/errors.ts'
import { parseAmount } from '../currency/amount.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import { readCode } from '../voucher/code.ts'
import { voucherError } from '../voucher/errors.ts'
import { readExpiries } from '../voucher/expiry.ts'
import type { Issuer, IssueTools } from '../voucher/issue.ts'
import { batchError } from './errors.ts'
import type { ImportedRow } from './import-rows.ts'
import { findTakenCodes } from './taken-codes.ts'

/** What is wrong with a row, in words for whoever made the file. Its line is counted as an editor does. */
export type RowFault = { readonly line: number; readonly column: string; readonly reason: string }

const rowsMax = 10_000
// A file that is wrong throughout is wrong in its first hundred rows.
const faultsMax = 100
const columnNames = ['code', 'balance', 'pin', 'expires']

/** The rows of a file of codes and balances, each of them looked at. */
export async function readRows(tools: IssueTools, issuer: Issuer, csv: string, currency: CatalogueCurrency) {
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
        faults.push({ line, column, reason: wordsOf(error) })
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
    const reason = 'You have a voucher with this code already.'
    faults.push({ line: lineOf.get(symbols) ?? 0, column: 'code', reason })
  }
  faults.sort((a, b) => a.line - b.line)
  return { rows, faults: faults.slice(0, faultsMax), total: rows.reduce((sum, { amount }) => sum + amount, 0n) }
}

type Line = { readonly line: number; readonly cells: Readonly<Record<string, string>> }
type Parsed = { readonly record: string[]; readonly info: { readonly lines: number } }

function readLines(csv: string): Line[] {
  refuseMonsters(csv)
  let parsed: Parsed[]
  try {
    parsed = parse(csv, { bom: true, trim: true, skip_empty_lines: true, info: true }) as unknown as Parsed[]
  } catch (error) {
    const line = error instanceof CsvError ? (error as CsvError & { lines?: number }).lines : undefined
    throw batchError('IMPORT_UNREADABLE', { param: 'csv', ...(line !== undefined && { line }) }, error)
  }
  const [head, ...body] = parsed
  const names = (head?.record ?? []).map((name) => name.toLowerCase())
  const isKnown = names.every((name) => columnNames.includes(name)) && new Set(names).size === names.length
  if (!isKnown || !names.includes('code') || !names.includes('balance'))
    throw batchError('IMPORT_COLUMNS', { param: 'csv' })
  if (body.length === 0) throw batchError('IMPORT_EMPTY', { param: 'csv' })
  if (body.length > rowsMax) throw batchError('IMPORT_TOO_LONG', { param: 'csv' })
  return body.map(({ record, info }) => ({
    line: info.lines,
    cells: Object.fromEntries(names.map((name, column) => [name, record[column] ?? ''])),
  }))
}

/** Two megabytes of commas kept the parser busy for three seconds, and with it everybody. No honest file has such lines. */
function refuseMonsters(csv: string): void {
  if (/[^\r\n]{501}/.test(csv)) throw batchError('IMPORT_UNREADABLE', { param: 'csv' })
  let lines = 0
  for (let at = csv.indexOf('\n'); at !== -1; at = csv.indexOf('\n', at + 1))
    // Blank lines are fine, as many as there are others.
    if (++lines > 2 * rowsMax) throw batchError('IMPORT_TOO_LONG', { param: 'csv' })
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

function knownExpiry(at: Date | undefined): Date {
  if (at === undefined) throw voucherError('EXPIRY_INVALID')
  return at
}

class RowError extends Error {}

function wordsOf(error: unknown): string {
  if (error instanceof ScripError && error.code === 'VOUCHER_CODE_MISTYPED')
    return 'A code has 6 to 40 letters and digits, with dashes or spaces between them if you like.'
  if (error instanceof ScripError || error instanceof RowError) return error.message
  throw error
}
