import Type from 'typebox'

export { cursorFields } from './schema.ts'

/** Pages start at 1. */
export const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
}

/** The field of a response that is one page of a list read by page number. */
export const pageFields = { hasMore: Type.Boolean({ description: 'Whether there is a next page' }) }

type Span = { readonly take: number; readonly offset: number; readonly order: 'asc' | 'desc' }

/** The position of a page in a list ordered by id, newest first. Pages in the second half are read from the other end. */
export function spanOf(total: number, page: number, limit: number): Span {
  const skip = (page - 1) * limit
  const take = Math.max(0, Math.min(limit, total - skip))
  return skip <= total / 2
    ? { take, offset: skip, order: 'desc' }
    : { take, offset: Math.max(0, total - skip - take), order: 'asc' }
}

/** Paging by cursor, newest first, for lists that keep growing. The last page has an empty nextCursor. */
export const cursorQuery = {
  cursor: Type.Optional(Type.String({ format: 'uuid', description: 'nextCursor of the previous response' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
}

type Continuation = { readonly nextCursor: string; readonly hasMore: boolean }

/** How to go on from a page: with this cursor, or not at all if it is empty. */
export function continueAt(nextCursor: string): Continuation {
  return { nextCursor, hasMore: nextCursor !== '' }
}

/** One page of rows that were read with one row more than the limit, which tells whether there is a next page. */
export function cutPage<Row extends { readonly id: string }>(
  rows: readonly Row[],
  limit: number,
): { readonly page: Row[]; readonly continuation: Continuation } {
  const page = rows.slice(0, limit)
  return { page, continuation: continueAt(rows.length > limit ? (page.at(-1)?.id ?? '') : '') }
}

/** The id to read below. Without a cursor it is above every id. */
export function readCursor(cursor: string | undefined): string {
  return cursor?.toLowerCase() ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'
}
