import { orNull } from '../base/column-type.ts'
import type { Tx } from '../base/db.ts'
import { list, type RowOf, select, sql } from '../base/sql.ts'
import { paymentRequests } from '../payments/request/store.ts'

const askedColumns = list({
  ...paymentRequests.columns('r', 'id', 'userId', 'note', 'expiresAt'),
  endedAt: orNull(sql.timestamptz)`r.ended_at`,
})
export type AskedPayment = RowOf<typeof askedColumns>

/** What payment requests asked for, by their ids. */
export async function findAsked(tx: Tx, ids: readonly string[]): Promise<Map<string, AskedPayment>> {
  const rows = await select(tx)`select ${askedColumns} from payment_requests r where r.id = any(${ids}::uuid[])`
  return new Map(rows.map((row) => [row.id, row]))
}
