import Type from 'typebox'

/** Pages are counted from 1. The interface's defaults; more than 100 at once is refused. */
export const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
}

/** Where a page lies in a list that is kept by its ids, newest first. One behind the middle is read from the other end. */
export function spanOf(total: number, page: number, limit: number) {
  const skip = (page - 1) * limit
  const take = Math.max(0, Math.min(limit, total - skip))
  return skip <= total / 2
    ? ({ take, offset: skip, order: 'desc' } as const)
    : ({ take, offset: Math.max(0, total - skip - take), order: 'asc' } as const)
}

/** Lists that grow for ever are read from the newest on: each answer says where to go on, until it says nothing. */
export const cursorQuery = {
  cursor: Type.Optional(Type.String({ format: 'uuid', description: 'nextCursor of the answer before' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
}

/** Where to go on after a page: a short one is the last. */
export function nextCursorOf(page: readonly { readonly id: string }[], limit: number): string {
  return page.length < limit ? '' : (page.at(-1)?.id ?? '')
}

/** The id below which to read. Without a cursor above every other. */
export function readCursor(cursor: string | undefined): string {
  return cursor?.toLowerCase() ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'
}
