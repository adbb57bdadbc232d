// Fills the columns for personal data, and searches a whole database for what is known of a person.
import type { Pool } from '../../src/base/db.ts'
import { listTables } from './classified-tables.ts'

export type Rows = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>

/** All rows of all tables, as the owner sees them. */
export async function readAll(owner: Pool): Promise<Rows> {
  const all = new Map<string, Record<string, unknown>[]>()
  for (const { name } of await listTables(owner)) {
    const { rows } = await owner.query<{ row: Record<string, unknown> }>(`select to_jsonb(t) as row from ${name} t`)
    all.set(
      name,
      rows.map(({ row }) => row),
    )
  }
  return all
}

/** How a word may be written: as it is, in hexadecimal, in base64, or with the escapes of JSON, once or twice. */
function formsOf(word: string): string[] {
  const escaped = JSON.stringify(word).slice(1, -1)
  return [
    word,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    Buffer.from(word).toString('hex'),
    Buffer.from(word.toLowerCase()).toString('hex'),
    // Without the last symbols, which depend on what follows.
    ...[0, 1, 2].map((shift) =>
      Buffer.from(' '.repeat(shift) + word)
        .toString('base64')
        .slice(shift === 0 ? 0 : 4, -4),
    ),
  ].map((form) => form.toLowerCase())
}

/** True if a text contains one of the words in one of its forms. */
export function mentions(text: string, words: readonly string[]): boolean {
  const searched = text.toLowerCase()
  return words.some((word) => formsOf(word).some((form) => searched.includes(form)))
}

/** The columns, such as public.users.email, that contain one of the words. */
export function findTraces(all: Rows, words: readonly string[]): string[] {
  const found = [...all].flatMap(([table, rows]) =>
    rows.flatMap((row) =>
      Object.entries(row)
        .filter(
          ([, value]) => value !== null && mentions(typeof value === 'string' ? value : JSON.stringify(value), words),
        )
        .map(([column]) => `${table}.${column}`),
    ),
  )
  return [...new Set(found)].toSorted()
}
