import type { QueryResultRow } from 'pg'
import type { Db } from './db.ts'

const rawSql = Symbol('raw SQL')

type RawSql = { readonly [rawSql]: string }

/** SQL that is inserted into a statement verbatim. Never use it for input. */
export function raw(sql: string): RawSql {
  return { [rawSql]: sql }
}

function isRawSql(part: unknown): part is RawSql {
  return typeof part === 'object' && part !== null && rawSql in part
}

/** Turns every part that is not raw SQL into a parameter, so that no value can be interpreted as SQL. */
function toStatement(texts: readonly string[], parts: readonly unknown[]): { text: string; values: unknown[] } {
  const values: unknown[] = []
  const placed = parts.map((part) => (isRawSql(part) ? part[rawSql] : `$${values.push(part)}`))
  return { text: texts.map((text, i) => text + (placed[i] ?? '')).join(''), values }
}

type Sql<T> = (texts: TemplateStringsArray, ...parts: readonly unknown[]) => Promise<T>

/** Returns the rows of a statement: select<User>(db)`select … where id = ${id}`. */
export function select<Row extends QueryResultRow>(db: Db): Sql<Row[]> {
  return async (texts, ...parts) => (await db.query<Row>(toStatement(texts, parts))).rows
}

/** Returns the first row, if there is one. */
export function selectOne<Row extends QueryResultRow>(db: Db): Sql<Row | undefined> {
  return async (texts, ...parts) => (await select<Row>(db)(texts, ...parts))[0]
}

/** Returns the first column of the first row, if there is one. */
export function selectValue<Value>(db: Db): Sql<Value | undefined> {
  return async (texts, ...parts) => {
    const [row] = await select<Record<string, Value>>(db)(texts, ...parts)
    return row && Object.values(row)[0]
  }
}

/** Returns how many rows a statement changed or found. */
export function execute(db: Db): Sql<number> {
  return async (texts, ...parts) => (await db.query(toStatement(texts, parts))).rowCount ?? 0
}

/** Returns whether a statement changed or found exactly one row. */
export function executeOne(db: Db): Sql<boolean> {
  return async (texts, ...parts) => (await execute(db)(texts, ...parts)) === 1
}
