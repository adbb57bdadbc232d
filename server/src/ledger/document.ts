import { binaryArray, type BinaryValue, isBinaryType } from '../base/binary-array.ts'
import type { ColumnType } from '../base/column-type.ts'
import type { Tx } from '../base/db.ts'
import { send, type Statement } from '../base/one-round.ts'
import { columnName, type NewRow, type Table } from '../base/table.ts'

type PlainValue = string | number | bigint | boolean | Date | null
type Row = Readonly<Record<string, unknown>>

/** How documents of a table are inserted. Their rows are committed together with their journal. */
export type DocumentTable = {
  readonly name: string
  /** The statement that inserts the rows. */
  readonly insert: (rows: readonly Row[]) => Statement
}

export type Document = { readonly table: DocumentTable; readonly row: Row }

type Columns = Readonly<Record<string, ColumnType<unknown, unknown>>>
type Written = { readonly key: string; readonly column: string; readonly postgres: string }

/** Makes documents from rows of the table. Fields that are not columns are not written. */
export function documentOf<C extends Columns>({ name, types }: Table<C>): (row: NewRow<Table<C>>) => Document {
  const columns = Object.entries<ColumnType<unknown, unknown>>(types)
    .filter(([, { isDefault }]) => !isDefault)
    .map(([key, { postgres }]) => ({ key, column: columnName(key), postgres }))
  const texts = new Map<string, string>()
  const insert = (rows: readonly Row[]): Statement => {
    // Columns in which no row has a value are left out: most rows use a part of their columns.
    const used = columns.filter(({ key }) => rows.some((row) => (row[key] ?? null) !== null))
    const statement = `document_${name}_${nameShape(columns, used)}`
    const text = texts.get(statement) ?? insertText(name, used)
    texts.set(statement, text)
    return { name: statement, text, values: used.map((column) => toArray(column, rows)) }
  }
  const table = { name, insert }
  return (row) => ({ table, row })
}

/** Inserts a document without a journal. */
export async function insertDocument(tx: Tx, { table, row }: Document): Promise<void> {
  await send(tx, table.insert([row]))
}

/** Which columns are used, in few characters: PostgreSQL ignores those of a name after the 63rd. */
function nameShape(columns: readonly Written[], used: readonly Written[]): string {
  const bits = columns.map((column) => (used.includes(column) ? '1' : '0')).join('')
  return BigInt(`0b1${bits}`).toString(36)
}

function insertText(table: string, columns: readonly Written[]): string {
  const names = columns.map(({ column }) => column).join(', ')
  // A list is sent as text: PostgreSQL unnests an array of arrays completely.
  const selected = columns.map(({ column, postgres }) => (isList(postgres) ? `${column}::${postgres}` : column))
  const arrays = columns.map(({ postgres }, i) => `$${i + 1}::${isList(postgres) ? 'text' : postgres}[]`)
  return `insert into ${table} (${names}) select ${selected.join(', ')} from unnest(${arrays.join(', ')}) as new (${names})`
}

function toArray({ key, postgres }: Written, rows: readonly Row[]): Buffer | string {
  const values = rows.map((row) => (row[key] ?? null) as BinaryValue)
  if (isList(postgres)) return binaryArray('text', values.map(toListText))
  const isDecimal = postgres === 'numeric' && values.some((value) => typeof value === 'string')
  return isBinaryType(postgres) && !isDecimal ? binaryArray(postgres, values) : plainArray(values as PlainValue[])
}

function toListText(list: BinaryValue): string | null {
  return list === null ? null : plainArray(list as unknown as PlainValue[])
}

function isList(postgres: string): boolean {
  return postgres.endsWith('[]')
}

/**
 * Writes a PostgreSQL array of values that need no quotes: ids, numbers, times and our own names. The driver quotes and
 * escapes each element, which took a quarter of this process's time per batch. Other values are refused, because one with a
 * comma would shift all values after it to other rows.
 */
export function plainArray(values: readonly PlainValue[]): string {
  const texts = values.map((value) => {
    if (value === null) return 'NULL'
    const text = value instanceof Date ? value.toISOString() : String(value)
    if (!plainForm.test(text)) throw new TypeError('A value needs quotes and cannot be sent as a plain array.')
    return text
  })
  return `{${texts.join(',')}}`
}

/** The named columns of the rows, each as a plain array. */
export function plainColumns<Name extends string>(
  rows: readonly Readonly<Record<Name, PlainValue>>[],
  ...names: Name[]
): string[] {
  return names.map((name) => plainArray(rows.map((row) => row[name])))
}

const plainForm = /^[\w.:+-]+$/
