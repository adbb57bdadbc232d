// What each exchange desk would lose if it were closed at the market, compared with its limit.
import type { Pool } from '../../server/src/base/db.ts'
import { type Code, type Market, type Value, valueOf } from './market.ts'

type Balance = { readonly ownerId: string; readonly code: Code; readonly balance: bigint; readonly limit: bigint }

export type Desks = {
  /** The largest loss of a desk so far, with the limit that applied to it then. */
  readonly worst: () => { readonly loss: Value; readonly limit: Value }
  readonly isExceeded: () => boolean
  /** Values every desk at the market of a tick. */
  readonly measure: (pool: Pool, market: Market) => Promise<void>
}

export function createDesks(): Desks {
  let worst = { loss: 0n, limit: 0n }
  let isExceeded = false
  return {
    worst: () => worst,
    isExceeded: () => isExceeded,

    async measure(pool, market) {
      const { rows } = await pool.query<Balance>(
        `select a.owner_id as "ownerId", b.currency as code, a.balance, c.desk_limit as limit
          from ledger_accounts a join ledger_books b on b.id = a.book_id
          join currencies c on c.abbreviation = b.currency where a.kind = 'exchange'`,
      )
      for (const desk of Map.groupBy(rows, ({ ownerId }) => ownerId).values()) {
        const loss = -desk.reduce((sum, { code, balance }) => sum + valueOf(balance, code, market), 0n)
        const limit = limitOf(desk, market)
        if (loss > limit) isExceeded = true
        if (worst.limit === 0n || loss > worst.loss) worst = { loss, limit }
      }
    },
  }
}

/** The limit of the currency that the desk owes most, or of the smallest balance if it owes nothing. */
function limitOf(desk: readonly Balance[], market: Market): Value {
  const owed = desk.toSorted((a, b) => {
    const difference = valueOf(a.balance, a.code, market) - valueOf(b.balance, b.code, market)
    return difference < 0n ? -1 : difference > 0n ? 1 : 0
  })
  const [most] = owed
  return most === undefined ? 0n : valueOf(most.limit, most.code, market)
}
