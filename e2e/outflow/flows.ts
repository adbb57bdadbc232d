// What left a shop's balance, read from the ledger and not from what the API said.
import type { Pool } from '../../server/src/base/db.ts'

/** Dollars for a euro, in ten-thousandths. The drill says this rate and no other, so it is the rate that was used. */
const eurRate = 10_835n
export const eurRateText = '1.0835'

export type Flow = {
  readonly kind: string
  readonly currency: string
  readonly at: Date
  /** In US cents. Negative: it came back, such as a voucher that was redeemed at the shop. */
  readonly value: bigint
}

type Row = { kind: string; currency: string; at: Date; amount: bigint; isOut: boolean }

/**
 * Value that left an environment after one moment and until another, oldest first. Unclaimed value is the shop's as well. The value of
 * a replaced voucher never touches the balance, but whoever gets the new code has it.
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

/** Rounded up, as limits count. Nobody knows what a currency without a rate is worth: it must not leave at all. */
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
 * The rolling day with the largest loss, and how many are above a limit, by the outflow that they end with. What the thief paid in
 * counts against the loss only if it came in after the loss began.
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
  let [sum, total, start] = [0n, 0n, end]
  for (let i = end; i >= 0; i--) {
    const flow = flows[i]
    if (flow === undefined || flow.at.getTime() <= afterMs) break
    sum += flow.value
    if (sum > total) [total, start] = [sum, i]
  }
  return { total, flows: flows.slice(start, end + 1) }
}
