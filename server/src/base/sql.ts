import type { QueryResultRow } from 'pg'
import type { Db } from './db.ts'

const ours = Symbol('SQL of our own')

type Ours = { readonly [ours]: string }

/** A piece of SQL that stands in a statement as it is. Never anything that somebody told us. */
export function raw(sql: string): Ours {
  return { [ours]: sql }
}

function isOurs(part: unknown): part is Ours {
  return typeof part === 'object' && part !== null && ours in part
}

/** Whatever else stands in a statement travels beside it, as a parameter: no value can be taken for SQL. */
function toStatement(texts: readonly string[], parts: readonly unknown[]): { text: string; values: unknown[] } {
  const values: unknown[] = []
  const placed = parts.map((part) => (isOurs(part) ? part[ours] : `$${values.push(part)}`))
  return { text: texts.map((text, i) => text + (placed[i] ?? '')).join(''), values }
}

type Sql<T> = (texts: TemplateStringsArray, ...parts: readonly unknown[]) => Promise<T>

/** The rows that a statement gives: select<Person>(db)`select … where id = ${id}`. */
export function select<Row extends QueryResultRow>(db: Db): Sql<Row[]> {
  return async (texts, ...parts) => (await db.query<Row>(toStatement(texts, parts))).rows
}

/** The first of them, if there is one. */
export function selectOne<Row extends QueryResultRow>(db: Db): Sql<Row | undefined> {
  return async (texts, ...parts) => (await select<Row>(db)(texts, ...parts))[0]
}

/** The first column of the first of them, if there is one. */
export function selectValue<Value>(db: Db): Sql<Value | undefined> {
  return async (texts, ...parts) => {
    const [row] = await select<Record<string, Value>>(db)(texts, ...parts)
    return row && Object.values(row)[0]
  }
}

/** Says how many rows a statement has changed, or found. */
export function execute(db: Db): Sql<number> {
  return async (texts, ...parts) => (await db.query(toStatement(texts, parts))).rowCount ?? 0
}

/** Says whether it was one. */
export function executeOne(db: Db): Sql<boolean> {
  return async (texts, ...parts) => (await execute(db)(texts, ...parts)) === 1
}
