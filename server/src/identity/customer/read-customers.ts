import Type from 'typebox'
import { readCsvRows } from '../../base/csv-rows.ts'
import { createCheck } from '../../http/validation.ts'
import { customerError } from './errors.ts'
import { customerDetails, type rowFaults } from './wire.ts'

export type CustomerRow = { readonly email: string; readonly name: string }
export type CustomerFault = {
  readonly line: number
  readonly fault: (typeof rowFaults)[number]
  /** The line with the same address, or 0. */
  readonly other: number
}

const rowsMax = 10_000
// Enough to see what is wrong with a file.
const faultsMax = 100
const nameLengthMax = 200
const isEmail = createCheck(Type.Object({ email: customerDetails.email }))

const errors = {
  unreadable: 'CUSTOMERS_UNREADABLE',
  columns: 'CUSTOMERS_COLUMNS',
  empty: 'CUSTOMERS_EMPTY',
  too_long: 'CUSTOMERS_TOO_LONG',
} as const

/** Reads a file of customers. One customer per address: a second row with it is a fault, because either name could be right. */
export function readCustomers(csv: string): { readonly rows: CustomerRow[]; readonly faults: CustomerFault[] } {
  const lines = readCsvRows(csv, {
    // An export has the time too, which an import leaves out.
    columns: ['email', 'name', 'created'],
    required: ['email', 'name'],
    rowsMax,
    refuse: (why, line, cause) =>
      customerError(errors[why], { param: 'csv', ...(line !== undefined && { line }) }, cause),
  })
  const lineOf = new Map<string, number>()
  const rows: CustomerRow[] = []
  const faults: CustomerFault[] = []
  for (const { line, cells } of lines) {
    const { email = '', name = '' } = cells
    const key = email.toLowerCase()
    const other = lineOf.get(key) ?? 0
    if (!isEmail({ email })) faults.push({ line, fault: 'email_invalid', other: 0 })
    else if (other > 0) faults.push({ line, fault: 'email_twice', other })
    if (name === '') faults.push({ line, fault: 'name_missing', other: 0 })
    if (name.length > nameLengthMax) faults.push({ line, fault: 'name_too_long', other: 0 })
    if (other === 0) lineOf.set(key, line)
    rows.push({ email, name })
  }
  return { rows, faults: faults.slice(0, faultsMax) }
}
