/** The types of columns, and what they are in the language. */
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

// What the driver has to quote.
const quoted: ReadonlySet<string> = new Set(['text', 'json', 'bytea'])

/** A feature's insert-only table, whose rows travel into the commit of the journal that they belong to. */
export type DocumentTable = {
  readonly name: string
  readonly insert: string
  /** The rows as the insert's parameters, an array for each column. */
  readonly toColumns: (rows: readonly Row[]) => unknown[]
}
type Row = Readonly<Record<string, unknown>>

export type Document = { readonly table: DocumentTable; readonly row: Row }

type Columns = Readonly<Record<string, ColumnType | `${ColumnType}?`>>
type Required<C extends Columns> = { [Name in keyof C]: C[Name] extends ColumnType ? Name : never }[keyof C]
type BareOf<Told> = Told extends `${infer Type}?` ? Type : Told
type ValueOf<Told> = ColumnTypes[BareOf<Told> & ColumnType]
type RowOf<C extends Columns> = { readonly [Name in Required<C>]: ValueOf<C[Name]> } & {
  readonly [Name in Exclude<keyof C, Required<C>>]?: ValueOf<C[Name]> | null | undefined
}

/** A row as a document is made of it. */
export type NewRow<Make extends (row: never) => Document> = Parameters<Make>[0]
/** The same as it is read: what was left out is null. */
export type StoredRow<Make extends (row: never) => Document> = {
  readonly [Name in keyof NewRow<Make>]-?: Exclude<NewRow<Make>[Name], undefined>
}

/**
 * Names a table and its columns once, as the language does; the result makes a document of a row. A column with a question mark
 * may be left out. What a row has beside its columns is not written.
 */
export function defineDocument<const C extends Columns>(name: string, columns: C) {
  const typed = Object.entries(columns).map(([key, told]) => {
    const column = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const type = told.replace('?', '')
    // A list travels as a text: PostgreSQL would unnest an array of arrays to its last element.
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

/** These columns of rows, each as such an array. */
export function plainColumns<Name extends string>(
  rows: readonly Readonly<Record<Name, PlainValue>>[],
  ...names: Name[]
): string[] {
  return names.map((name) => plainArray(rows.map((row) => row[name])))
}

const plainForm = /^[\w.:+-]+$/
