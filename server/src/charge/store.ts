import type { Db, Tx } from '../base/db.ts'
import type { Mode } from '../ledger/book.ts'

export type ChargeRule = { readonly fixed: bigint; readonly sharePpm: bigint }

export type RuledBook = ChargeRule & { readonly mode: Mode; readonly currency: string }

/** All of them, at most two for each currency. */
export async function listRules(db: Db): Promise<RuledBook[]> {
  const { rows } = await db.query<{ mode: Mode; currency: string; fixed: string; share_ppm: number }>({
    name: 'charge_rules',
    text: 'select mode, currency, fixed, share_ppm from charge_rules',
  })
  return rows.map(({ mode, currency, fixed, share_ppm }) => ({
    mode,
    currency,
    fixed: BigInt(fixed),
    sharePpm: BigInt(share_ppm),
  }))
}

/** The operator's rule for a book. Without one nothing is charged. */
export function pickRule(rules: readonly RuledBook[], mode: Mode, currency: string): ChargeRule {
  return rules.find((rule) => rule.mode === mode && rule.currency === currency) ?? { fixed: 0n, sharePpm: 0n }
}

export async function saveRule(db: Db, mode: Mode, currency: string, { fixed, sharePpm }: ChargeRule): Promise<void> {
  await db.query(
    `insert into charge_rules (mode, currency, fixed, share_ppm) values ($1, $2, $3, $4)
      on conflict (mode, currency) do update set fixed = excluded.fixed, share_ppm = excluded.share_ppm`,
    [mode, currency, fixed, sharePpm],
  )
}

export type MerchantCharges = { readonly takesFromBalance: boolean; readonly discountPpm: bigint }

export async function findMerchantCharges(tx: Tx, environmentId: string, at: Date): Promise<MerchantCharges> {
  const { rows } = await tx.query<{ takes: boolean | null; discount: number | null }>(
    `select (select takes_from_balance from charge_settings where environment_id = $1) as takes,
      (select max(discount_ppm) from charge_discounts
        where environment_id = $1 and ends_at > $2 and starts_at <= $2) as discount`,
    [environmentId, at],
  )
  return { takesFromBalance: rows[0]?.takes ?? false, discountPpm: BigInt(rows[0]?.discount ?? 0) }
}

export async function saveTakesFromBalance(tx: Tx, environmentId: string, takes: boolean): Promise<void> {
  await tx.query(
    `insert into charge_settings (environment_id, takes_from_balance) values ($1, $2)
      on conflict (environment_id) do update set takes_from_balance = excluded.takes_from_balance`,
    [environmentId, takes],
  )
}

export type Discount = {
  readonly id: string
  readonly discountPpm: bigint
  readonly startsAt: Date
  readonly endsAt: Date
}

export async function insertDiscount(tx: Tx, environmentId: string, discount: Discount): Promise<void> {
  await tx.query(
    'insert into charge_discounts (id, environment_id, discount_ppm, starts_at, ends_at) values ($1, $2, $3, $4, $5)',
    [discount.id, environmentId, discount.discountPpm, discount.startsAt, discount.endsAt],
  )
}
