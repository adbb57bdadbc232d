/** Column types and their TypeScript types. */
type ColumnTypes = {
  uuid: string
  'uuid[]': readonly string[]
  text: string
  bytea: Buffer
  numeric: bigint
  smallint: number
  integer: number
  boolean: boolean
  timestamptz: Date
  date: string
  json: string
}
type ColumnType = keyof ColumnTypes
type PlainValue = string | number | bigint | boolean | Date | null
type Value = PlainValue | Buffer | readonly string[]

// Types whose values the driver must quote.
const quoted: ReadonlySet<string> = new Set(['text', 'json', 'bytea'])

/** An insert-only table of a feature. Its rows are committed together with their journal. */
export type DocumentTable = {
  readonly name: string
  readonly insert: string
  /** The rows as parameters of the insert, one array per column. */
  readonly toColumns: (rows: readonly Row[]) => unknown[]
}
type Row = Readonly<Record<string, unknown>>

export type Document = { readonly table: DocumentTable; readonly row: Row }

type Columns = Readonly<Record<string, ColumnType | `${ColumnType}?`>>
type Required<C extends Columns> = { [Name in keyof C]: C[Name] extends ColumnType ? Name : never }[keyof C]
type BareOf<Declared> = Declared extends `${infer Type}?` ? Type : Declared
type ValueOf<Declared> = ColumnTypes[BareOf<Declared> & ColumnType]
type RowOf<C extends Columns> = { readonly [Name in Required<C>]: ValueOf<C[Name]> } & {
  readonly [Name in Exclude<keyof C, Required<C>>]?: ValueOf<C[Name]> | null | undefined
}

/** A row as passed to a document maker. */
export type NewRow<Make extends (row: never) => Document> = Parameters<Make>[0]
/** The same row as read from the table: omitted columns are null. */
export type StoredRow<Make extends (row: never) => Document> = {
  readonly [Name in keyof NewRow<Make>]-?: Exclude<NewRow<Make>[Name], undefined>
}

/**
 * Declares a table and its columns in camel case. The result makes a document from a row. A column with a question mark is
 * optional. Fields that are not columns are not written.
 */
export function defineDocument<const C extends Columns>(name: string, columns: C) {
  const typed = Object.entries(columns).map(([key, declared]) => {
    const column = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const type = declared.replace('?', '')
    // Send a list as text: PostgreSQL unnests an array of arrays completely.
    const [unnested, cast] = type === 'uuid[]' ? ['text[]', '::uuid[]'] : [`${type}[]`, '']
    return { key, type, column, unnested, cast }
  })
  const names = typed.map(({ column }) => column).join(', ')
  const table: DocumentTable = {
    name,
    toColumns: (rows) =>
      typed.map(({ key, type }) => {
        const values = rows.map((row) => (row[key] ?? null) as Value)
        if (type === 'uuid[]') return values.map((list) => plainArray(list as PlainValue[]))
        return quoted.has(type) ? values : plainArray(values as PlainValue[])
      }),
    insert: `insert into ${name} (${names})
      select ${typed.map(({ column, cast }) => column + cast).join(', ')}
      from unnest(${typed.map(({ unnested }, i) => `$${i + 1}::${unnested}`).join(', ')}) as new (${names})`,
  }
  return (row: RowOf<C>): Document => ({ table, row })
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
