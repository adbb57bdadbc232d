import type { FieldDef, QueryConfig } from 'pg'
import { columnTypes, type ColumnType, type Expression, type Fragment, fragment } from './column-type.ts'
import type { Db } from './db.ts'

type Fields = Readonly<Record<string, Expression<unknown>>>
type Column = { readonly name: string; readonly type: ColumnType<unknown, unknown> }

/** A list of named expressions: the columns of a select or of `returning`, and the type of its rows. */
export type List<Row> = Fragment & {
  readonly columns: readonly Column[]
  /** Exists in the type checker only. */
  readonly row?: Row
}

/** A piece of SQL that may contain a list. */
type Selection<Row> = Fragment & { readonly list: List<Row> | undefined }

/** The rows of a list. */
export type RowOf<L> = L extends List<infer Row> ? Row : never

type RowOfFields<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Expression<infer Read> ? Read : never
}

/** The type of the rows of a statement: that of the first list among its parts. */
type RowIn<Parts extends readonly unknown[]> = Parts extends readonly [infer First, ...infer Rest]
  ? First extends List<infer Row>
    ? Row
    : First extends Selection<infer Row>
      ? [Row] extends [never]
        ? RowIn<Rest>
        : Row
      : RowIn<Rest>
  : never

/** The type of the value of a statement: that of the first expression among its parts. */
type ValueIn<Parts extends readonly unknown[]> = Parts extends readonly [infer First, ...infer Rest]
  ? First extends Expression<infer Value>
    ? Value
    : ValueIn<Rest>
  : never

/** SQL that is placed in a statement verbatim. Never use it for input. */
export function raw(text: string): Fragment {
  return { [fragment]: { texts: [text], parts: [] } }
}

function createSelection<const Parts extends readonly unknown[]>(
  texts: readonly string[],
  ...parts: Parts
): Selection<RowIn<Parts>> {
  return { [fragment]: { texts, parts }, list: findList<RowIn<Parts>>(parts) }
}

/** Tags a piece of SQL that several statements share. With a type it tags an expression: sql.text`b.currency`. */
export const sql = Object.assign(createSelection, columnTypes)

/** The columns of a select, by the names that they get in the rows. */
export function list<const F extends Fields>(fields: F): List<RowOfFields<F>> {
  const names = Object.keys(fields)
  const aliases = names.map((name, i) => ` as "${name}"${i + 1 < names.length ? ', ' : ''}`)
  return {
    [fragment]: { texts: ['', ...aliases], parts: Object.values(fields) },
    columns: Object.entries(fields).map(([name, { type }]) => ({ name, type })),
  }
}

function isFragment(part: unknown): part is Fragment {
  return typeof part === 'object' && part !== null && fragment in part
}

function isExpression(part: unknown): part is Expression<unknown> {
  return isFragment(part) && 'type' in part
}

function findList<Row>(parts: readonly unknown[]): List<Row> | undefined {
  for (const part of parts) {
    if (!isFragment(part)) continue
    // The type of the statement is computed from the same parts in the same order.
    if ('columns' in part) return part as List<Row>
    if ('list' in part && part.list !== undefined) return part.list as List<Row>
  }
  return undefined
}

/** Turns every part that is not SQL into a parameter, so that no value can be interpreted as SQL. */
function place(texts: readonly string[], parts: readonly unknown[], values: unknown[]): string {
  const placed = parts.map((part) => {
    if (!isFragment(part)) return `$${values.push(part)}`
    return place(part[fragment].texts, part[fragment].parts, values)
  })
  return texts.map((text, i) => text + (placed[i] ?? '')).join('')
}

function toStatement(texts: readonly string[], parts: readonly unknown[]): { text: string; values: unknown[] } {
  const values: unknown[] = []
  return { text: place(texts, parts, values), values }
}

/** The text of a piece of SQL without parameters, for a statement that numbers its parameters itself. */
export function textOf(piece: Fragment): string {
  const { text, values } = toStatement(piece[fragment].texts, piece[fragment].parts)
  if (values.length > 0) throw new Error('A piece of SQL with parameters has no text of its own.')
  return text
}

/** Returns the rows of a statement: select(db)`select ${userColumns} from users where id = ${id}`. */
export function select(db: Db) {
  return async <const Parts extends readonly unknown[]>(
    texts: TemplateStringsArray,
    ...parts: Parts
  ): Promise<RowIn<Parts>[]> => {
    const columns = findList<RowIn<Parts>>(parts)
    if (columns === undefined) throw new Error('A select needs a list of columns.')
    return queryRows(db, columns, toStatement(texts, parts))
  }
}

/** Returns the first row, if there is one. */
export function selectOne(db: Db) {
  return async <const Parts extends readonly unknown[]>(
    texts: TemplateStringsArray,
    ...parts: Parts
  ): Promise<RowIn<Parts> | undefined> => (await select(db)(texts, ...parts))[0]
}

/** Returns the value of the first row, if there is one: selectValue(db)`select ${sql.bigint`count(*)`} from users`. */
export function selectValue(db: Db) {
  return async <const Parts extends readonly unknown[]>(
    texts: TemplateStringsArray,
    ...parts: Parts
  ): Promise<ValueIn<Parts> | undefined> => {
    const expression = parts.find(isExpression)
    if (expression === undefined) throw new Error('A select of a value needs an expression.')
    const [row] = await queryTuples(db, [expression.type], toStatement(texts, parts))
    // The type of the value is that of the first expression among the parts.
    return row?.[0] as ValueIn<Parts> | undefined
  }
}

type Sql<T> = (texts: TemplateStringsArray, ...parts: readonly unknown[]) => Promise<T>

/** Returns how many rows a statement changed or found. */
export function execute(db: Db): Sql<number> {
  return async (texts, ...parts) => (await db.query(toStatement(texts, parts))).rowCount ?? 0
}

/** Returns whether a statement changed or found exactly one row. */
export function executeOne(db: Db): Sql<boolean> {
  return async (texts, ...parts) => (await execute(db)(texts, ...parts)) === 1
}

/** Runs a statement whose text is written elsewhere, and returns its rows if they are what the list says. */
export async function queryRows<Row>(db: Db, { columns }: List<Row>, config: QueryConfig): Promise<Row[]> {
  const { fields, rows } = await db.query<Record<string, unknown>>(config)
  checkCount(fields, columns.length)
  for (const [i, { name, type }] of columns.entries()) checkField(fields[i], type, name)
  for (const row of rows) for (const { name, type } of columns) checkValue(row[name], type, name)
  // Every column was compared with its type.
  return rows as Row[]
}

type Tuple<Types extends readonly ColumnType<unknown, unknown>[]> = {
  -readonly [I in keyof Types]: Types[I] extends ColumnType<infer Read, unknown> ? Read : never
}

/** The same with rows as arrays, which are cheaper to read. */
export async function queryTuples<const Types extends readonly ColumnType<unknown, unknown>[]>(
  db: Db,
  types: Types,
  config: QueryConfig,
): Promise<Tuple<Types>[]> {
  const { fields, rows } = await db.query<unknown[]>({ ...config, rowMode: 'array' })
  checkCount(fields, types.length)
  for (const [i, type] of types.entries()) checkField(fields[i], type)
  for (const row of rows) {
    let at = 0
    for (const type of types) checkValue(row[at], type, fields[at++]?.name)
  }
  // Every column was compared with its type.
  return rows as Tuple<Types>[]
}

/** Refuses columns of other names or types than the declared ones: a wrong one would reach the caller as a wrong value. */
function checkField(field: FieldDef | undefined, type: ColumnType<unknown, unknown>, name = field?.name): void {
  if (field === undefined || field.name !== name || !type.fits(field))
    throw new Error(`Column "${field?.name}" of a statement should be "${name}" of type ${type.postgres}.`)
}

function checkCount(fields: readonly FieldDef[], count: number): void {
  if (fields.length !== count) throw new Error(`A statement has ${fields.length} columns, not ${count}.`)
}

function checkValue(value: unknown, type: ColumnType<unknown, unknown>, name = ''): void {
  if (value === null ? type.isNullable : type.accepts(value)) return
  const what = value === null ? 'null' : `not of type ${type.postgres}`
  throw new Error(`A row has a value in "${name}" that is ${what}.`)
}
