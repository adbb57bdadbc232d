import { type ColumnType, type Expression, type Fragment, fragment } from './column-type.ts'
import { raw } from './sql.ts'

type Columns = Readonly<Record<string, ColumnType<unknown, unknown>>>
type ReadOf<Type> = Type extends ColumnType<infer Read, unknown> ? Read : never
type WriteOf<Type> = Type extends ColumnType<unknown, infer Write> ? Write : never
type Optional<C extends Columns> = {
  [Name in keyof C]: null extends WriteOf<C[Name]> ? Name : undefined extends WriteOf<C[Name]> ? Name : never
}[keyof C]

/** A row as an insert takes it: columns that may be null or have a default can be omitted. */
export type NewRow<T> =
  T extends Table<infer C>
    ? { readonly [Name in Exclude<keyof C, Optional<C>>]: WriteOf<C[Name]> } & {
        readonly [Name in Optional<C>]?: WriteOf<C[Name]> | undefined
      }
    : never

/** A row with all declared columns, as a select returns it. */
export type TableRow<T> = T extends Table<infer C> ? { readonly [Name in keyof C]: ReadOf<C[Name]> } : never

/** A table: its name, and its columns in camel case. */
export type Table<C extends Columns> = {
  readonly name: string
  readonly types: C
  /** Columns for a list: all, or those named. `alias` is the name of the table in the statement. */
  readonly columns: <const Name extends keyof C & string = keyof C & string>(
    alias?: string,
    ...names: readonly Name[]
  ) => { readonly [N in Name]: Expression<ReadOf<C[N]>> }
}

/** Every table that the program declares, for the test that compares them with PostgreSQL. */
export const declaredTables: Table<Columns>[] = []

/** Declares a table once: its column list, the type of its rows and its inserts come from here. */
export function defineTable<const C extends Columns>(name: string, types: C): Table<C> {
  const columns = (alias = '', ...names: readonly string[]): Record<string, Expression<unknown>> => {
    const wanted = names.length > 0 ? names : Object.keys(types)
    const prefix = alias === '' ? '' : `${alias}.`
    return Object.fromEntries(wanted.map((key) => [key, expressionOf(types, key, prefix)]))
  }
  // The names and types of the result are computed from the same names.
  const table = { name, types, columns } as Table<C>
  declaredTables.push(table)
  return table
}

function expressionOf(types: Columns, key: string, prefix: string): Expression<unknown> {
  const type = types[key]
  if (type === undefined) throw new Error(`There is no column ${key}.`)
  return type([`${prefix}${columnName(key)}`])
}

/** The name of a column in PostgreSQL. */
export function columnName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** An insert of one row. Columns without a value get their default. `alias` names the table for `on conflict`. */
export function insertInto<T extends Table<Columns>>({ name, types }: T, row: NewRow<T>, alias = ''): Fragment {
  const given: Readonly<Record<string, unknown>> = row
  const keys = Object.keys(types).filter((key) => given[key] !== undefined)
  const names = keys.map(columnName).join(', ')
  const texts = keys.map((_, i) => (i === 0 ? '' : ', '))
  return {
    [fragment]: {
      texts: ['', ' values (', ')'],
      parts: [
        raw(`insert into ${name} ${alias === '' ? '' : `as ${alias} `}(${names})`),
        { [fragment]: { texts: [...texts, ''], parts: keys.map((key) => given[key]) } },
      ],
    },
  }
}
