import { readCsvRows } from '../../base/csv-rows.ts'
import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { hasCode } from '../../base/errors.ts'
import { convert } from '../../base/money.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { type CatalogueCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { findRecords } from '../../ledger/store.ts'
import { readIdentifier } from '../../identity/user/store.ts'
import type { OutflowLimits } from '../outflow/preview.ts'
import { findRecipients, type Recipient } from '../payout/find-recipient.ts'
import { referenceKey } from '../transaction/reference.ts'
import { referenceForm } from '../transaction/wire.ts'
import { payoutBatchError } from './errors.ts'
import type { RowFault } from './faults.ts'

/** A row of a payout file as the check found it. */
export type CheckedRow = {
  /** Counted from 1. */
  readonly number: number
  readonly line: number
  readonly recipient: string
  /** The code of a currency, as the row names it. */
  readonly currency: string
  readonly note: string
  /** Empty if the file names none. */
  readonly reference: string
  /** Undefined if it could not be read. */
  readonly amount: bigint | undefined
  readonly user: Recipient | undefined
  /** The first thing that is wrong with it. */
  readonly fault: RowFault | undefined
}

const rowsMax = 5_000
const noteLengthMax = 200
const fileErrors = {
  unreadable: 'PAYOUT_FILE_UNREADABLE',
  columns: 'PAYOUT_FILE_COLUMNS',
  empty: 'PAYOUT_FILE_EMPTY',
  too_long: 'PAYOUT_FILE_TOO_LONG',
} as const

type ReadRow = Omit<CheckedRow, 'user'>

/** Counts a user that is looked up, so that a file is no way to find out who has an account. */
export type CountLookup = (identifier: string) => Promise<void>

/** Reads a payout file and checks each of its rows. */
export async function checkRows(
  pool: Pool,
  caller: MerchantCaller,
  csv: string,
  currency: CatalogueCurrency,
  limits: OutflowLimits,
  countLookup: CountLookup,
): Promise<CheckedRow[]> {
  const catalogue = new Map((await readCurrencies(pool)).map((each) => [each.code, each]))
  const lines = readCsvRows(csv, {
    columns: ['recipient', 'amount', 'currency', 'reference', 'note'],
    required: ['recipient', 'amount'],
    rowsMax,
    refuse: (why, line, cause) =>
      payoutBatchError(fileErrors[why], { param: 'csv', ...(line !== undefined && { line }) }, cause),
  })
  const read = lines.map(({ line, cells }, i) => readRow({ line, number: i + 1, cells }, currency, catalogue))
  const recipients = read.filter(({ fault }) => fault === undefined).map(({ recipient }) => recipient)
  for (const recipient of new Set(recipients)) await countLookup(recipient)
  const users = await findRecipients(pool, caller, recipients)
  const taken = await findTaken(pool, caller.environmentId, read)
  return refuseDoubled(
    read.map((row) => {
      const user = users.get(readIdentifier(row.recipient).value)
      return { ...row, user, fault: row.fault ?? faultOf(row, user, taken, currency, limits) }
    }),
  )
}

type Line = { readonly number: number; readonly line: number; readonly cells: Readonly<Record<string, string>> }

function readRow(
  { number, line, cells }: Line,
  currency: CatalogueCurrency,
  catalogue: ReadonlyMap<string, CatalogueCurrency>,
): ReadRow {
  const { recipient = '', amount: text = '', reference = '', note = '' } = cells
  const code = cells.currency === undefined || cells.currency === '' ? currency.code : cells.currency.toUpperCase()
  const found = catalogue.get(code)
  const amount = found === undefined ? 'AMOUNT_INVALID' : readAmount(text, found)
  const fault = firstOf(
    [found === undefined, 'CURRENCY_UNKNOWN'],
    [code !== currency.code, 'CURRENCY_OTHER'],
    [typeof amount === 'string', amount === 'AMOUNT_OUT_OF_RANGE' ? amount : 'AMOUNT_INVALID'],
    [recipient === '', 'RECIPIENT_MISSING'],
    [reference !== '' && !referenceForm.test(reference), 'REFERENCE_INVALID'],
    [note.length > noteLengthMax, 'NOTE_TOO_LONG'],
  )
  const minor = typeof amount === 'string' ? undefined : amount
  return { number, line, recipient, currency: code, note, reference, amount: minor, fault }
}

function readAmount(text: string, currency: CatalogueCurrency): bigint | RowFault {
  try {
    const amount = parseAmount(text, currency)
    refuseDust(amount, currency)
    return amount.minor
  } catch (error) {
    if (hasCode(error, 'AMOUNT_INVALID', 'AMOUNT_TOO_PRECISE')) return 'AMOUNT_INVALID'
    if (hasCode(error, 'AMOUNT_ZERO', 'AMOUNT_ABOVE_LIMIT', 'AMOUNT_BELOW_LIMIT', 'AMOUNT_TOO_LARGE'))
      return 'AMOUNT_OUT_OF_RANGE'
    throw error
  }
}

function firstOf(...checks: readonly (readonly [boolean, RowFault])[]): RowFault | undefined {
  return checks.find(([isWrong]) => isWrong)?.[1]
}

/** References of the file that other requests of the shop have. */
async function findTaken(pool: Pool, environmentId: string, rows: readonly ReadRow[]): Promise<ReadonlySet<string>> {
  const references = [...new Set(rows.map(({ reference }) => reference))].filter((reference) => reference !== '')
  const keys = references.map((reference) => referenceKey(environmentId, reference))
  const records = await withEnvironment(pool, environmentId, (tx) => findRecords(tx, keys))
  return new Set(references.filter((_, i) => records[i] !== undefined))
}

function faultOf(
  { amount, reference }: ReadRow,
  user: Recipient | undefined,
  taken: ReadonlySet<string>,
  currency: CatalogueCurrency,
  limits: OutflowLimits,
): RowFault | undefined {
  return firstOf(
    [user === undefined, 'RECIPIENT_UNKNOWN'],
    [taken.has(reference), 'REFERENCE_TAKEN'],
    [amount !== undefined && isAboveDaily({ minor: amount, currency }, limits), 'ABOVE_DAILY'],
  )
}

function isAboveDaily(
  amount: { readonly minor: bigint; readonly currency: CatalogueCurrency },
  { rules: { daily }, rate, home }: OutflowLimits,
): boolean {
  if (daily === null || rate === undefined) return false
  return convert(amount, rate, home, 'up').money.minor > daily
}

/**
 * Refuses a row that repeats an earlier one: the same reference or, without a reference of its own, the same recipient
 * and amount. Only rows that are paid count, so of two equal rows one is always paid.
 */
function refuseDoubled(rows: readonly CheckedRow[]): CheckedRow[] {
  const references = new Set<string>()
  const payments = new Set<string>()
  return rows.map((row) => {
    if (row.fault !== undefined) return row
    const payment = `${row.user?.id ?? ''} ${row.amount ?? ''}`
    const fault = firstOf(
      [row.reference !== '' && references.has(row.reference), 'REFERENCE_DOUBLED'],
      [row.reference === '' && payments.has(payment), 'ROW_DOUBLED'],
    )
    if (fault !== undefined) return { ...row, fault }
    references.add(row.reference)
    payments.add(payment)
    return row
  })
}
