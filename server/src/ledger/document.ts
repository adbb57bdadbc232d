import type { ColumnType } from '../base/column-type.ts'
import { columnName, type NewRow, type Table } from '../base/table.ts'

type PlainValue = string | number | bigint | boolean | Date | null
type Row = Readonly<Record<string, unknown>>

// Types whose values the driver must quote.
const quoted: ReadonlySet<string> = new Set(['text', 'json', 'bytea'])

/** How documents of a table are inserted. Their rows are committed together with their journal. */
export type DocumentTable = {
  readonly name: string
  readonly insert: string
  /** The rows as parameters of the insert, one array per column. */
  readonly toColumns: (rows: readonly Row[]) => unknown[]
}

export type Document = { readonly table: DocumentTable; readonly row: Row }

type Columns = Readonly<Record<string, ColumnType<unknown, unknown>>>

/** Makes documents from rows of the table. Fields that are not columns are not written. */
export function documentOf<C extends Columns>({ name, types }: Table<C>): (row: NewRow<Table<C>>) => Document {
  const written = Object.entries<ColumnType<unknown, unknown>>(types).filter(([, { isDefault }]) => !isDefault)
  const columns = written.map(([key, { postgres }]) => {
    // Send a list as text: PostgreSQL unnests an array of arrays completely.
    const [unnested, cast] = postgres === 'uuid[]' ? ['text[]', '::uuid[]'] : [`${postgres}[]`, '']
    return { key, postgres, column: columnName(key), unnested, cast }
  })
  const names = columns.map(({ column }) => column).join(', ')
  const table: DocumentTable = {
    name,
    toColumns: (rows) =>
      columns.map(({ key, postgres }) => {
        const values = rows.map((row) => row[key] ?? null)
        if (postgres === 'uuid[]') return values.map((ids) => plainArray(ids as PlainValue[]))
        return quoted.has(postgres) ? values : plainArray(values as PlainValue[])
      }),
    insert: `insert into ${name} (${names})
      select ${columns.map(({ column, cast }) => column + cast).join(', ')}
      from unnest(${columns.map(({ unnested }, i) => `$${i + 1}::${unnested}`).join(', ')}) as new (${names})`,
  }
  return (row) => ({ table, row })
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
