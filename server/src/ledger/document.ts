type ColumnType =
  | 'uuid'
  | 'uuid[]'
  | 'text'
  | 'bytea'
  | 'numeric'
  | 'smallint'
  | 'integer'
  | 'boolean'
  | 'timestamptz'
  | 'date'
  | 'json'
type PlainValue = string | number | bigint | boolean | Date | null
type Value = PlainValue | Buffer

// What the driver has to quote. Lists travel as texts: PostgreSQL would unnest an array of arrays to its last element.
const quoted: ReadonlySet<ColumnType> = new Set(['text', 'json', 'bytea', 'uuid[]'])

/** A feature's insert-only table, whose rows travel into the commit of the journal that they belong to. */
export type DocumentTable = {
  readonly name: string
  readonly insert: string
  /** The rows as the insert's parameters, an array for each column. */
  readonly toColumns: (rows: readonly Row[]) => unknown[]
}
type Row = Readonly<Record<string, Value>>

export type Document = { readonly table: DocumentTable; readonly row: Row }

/** Names a table and its columns once; the result makes a document of a row. */
export function defineDocument<Column extends string>(name: string, columns: Record<Column, ColumnType>) {
  const names = Object.keys(columns) as Column[]
  const table: DocumentTable = {
    name,
    toColumns: (rows) =>
      names.map((column) => {
        const values = rows.map((row) => row[column] ?? null)
        return quoted.has(columns[column]) ? values : plainArray(values as PlainValue[])
      }),
    insert: `insert into ${name} (${names.join(', ')})
      select ${names.map((column) => (columns[column] === 'uuid[]' ? `${column}::uuid[]` : column)).join(', ')}
      from unnest(${names.map((column, i) => `$${i + 1}::${columns[column] === 'uuid[]' ? 'text' : columns[column]}[]`).join(', ')})
        as new (${names.join(', ')})`,
  }
  return (row: Record<Column, Value>): Document => ({ table, row })
}

/**
 * An array as PostgreSQL reads it, of values that need no quotes: ids, numbers, times, names of ours. The driver quotes
 * and escapes each element, which was a quarter of this process's work in a batch. A value with a comma would move all
 * that follow it to other rows, so one that could is refused.
 */
export function plainArray(values: readonly PlainValue[]): string {
  const texts = values.map((value) => {
    if (value === null) return 'NULL'
    const text = value instanceof Date ? value.toISOString() : String(value)
    if (!plainForm.test(text)) throw new TypeError('Only plain values travel without quotes.')
    return text
  })
  return `{${texts.join(',')}}`
}

const plainForm = /^[\w.:+-]+$/
