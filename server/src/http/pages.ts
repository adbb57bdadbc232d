import Type from 'typebox'

/** Pages are counted from 1. The interface's defaults; more than 100 at once is refused. */
export const pageQuery = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
}
