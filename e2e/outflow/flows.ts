// What left a shop's balance according to the ledger, not to the API's responses.
import type { Pool } from '../../server/src/base/db.ts'

/** US dollars for a euro, in ten-thousandths. The drill sets no other rate. */
const eurRate = 10_835n
export const eurRateText = '1.0835'

export type Flow = {
  readonly kind: string
  readonly currency: string
  readonly at: Date
  /** In US cents. Negative if it came back, such as a voucher that was redeemed at the shop. */
  readonly value: bigint
}

type Row = { kind: string; currency: string; at: Date; amount: bigint; isOut: boolean }

/**
 * Value that left an environment within a period, oldest first. Unclaimed value belongs to the shop too. The value of a
 * replaced voucher never touches the balance, but the holder of the new code has it.
 */
export async function readFlows(pool: Pool, environmentId: string, after: Date, until: Date): Promise<Flow[]> {
  const { rows } = await pool.query<Row>(
    `select j.kind, b.currency, j.posted_at as at, t.amount, t.to_owner <> $1 as "isOut"
      from ledger_transfers t join ledger_journals j on j.id = t.journal_id join ledger_books b on b.id = t.book_id
      where j.posted_at > $2 and j.posted_at <= $3 and (
        (t.from_owner = $1 and t.from_kind::text in ('merchant', 'unclaimed') and t.to_owner <> $1)
        or (t.to_owner = $1 and t.to_kind::text in ('merchant', 'unclaimed') and t.from_owner <> $1)
        or (j.kind = 'voucher.replacement' and t.from_kind = 'voucher'
          and exists (select from vouchers v where v.id = t.from_owner and v.environment_id = $1)))
      order by j.posted_at, j.id, t.position`,
    [environmentId, after, until],
  )
  return rows.map(({ kind, currency, at, amount, isOut }) => {
    const value = toCents(amount, currency)
    return { kind, currency, at, value: isOut ? value : -value }
  })
}

/** Rounded up, as limits count. A currency without a rate has no known value, so it must not leave at all. */
function toCents(amount: bigint, currency: string): bigint {
  if (currency === 'USD') return amount
  return isUnrated(currency) ? 0n : (amount * eurRate + 9_999n) / 10_000n
}

export function isUnrated(currency: string): boolean {
  return currency !== 'USD' && currency !== 'EUR'
}

const dayMs = 86_400_000

export type WorstDay = { readonly total: bigint; readonly flows: readonly Flow[] }

/**
 * The rolling day with the largest loss, and all rolling days above a limit, each ending with an outflow. Money that the
 * thief paid in reduces the loss only if it came in after the loss began.
 */
export function measureDays(flows: readonly Flow[], limit: bigint): { worst: WorstDay; over: readonly WorstDay[] } {
  const over: WorstDay[] = []
  let worst: WorstDay = { total: 0n, flows: [] }
  for (const [end, last] of flows.entries()) {
    if (last.value <= 0n) continue
    const day = worstDayUntil(flows, end, last.at.getTime() - dayMs)
    if (day.total > limit) over.push(day)
    if (day.total > worst.total) worst = day
  }
  return { worst, over }
}

function worstDayUntil(flows: readonly Flow[], end: number, afterMs: number): WorstDay {
  let sum = 0n
  let total = 0n
  let start = end
  for (let i = end; i >= 0; i--) {
    const flow = flows[i]
    if (flow === undefined || flow.at.getTime() <= afterMs) break
    sum += flow.value
    if (sum > total) {
      total = sum
      start = i
    }
  }
  return { total, flows: flows.slice(start, end + 1) }
}
