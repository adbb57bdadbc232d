import type { Db, Tx } from '../base/db.ts'
import { execute } from '../base/sql.ts'
import type { Mode } from '../ledger/book.ts'
import { plainArray } from '../ledger/document.ts'

export type ChargeRule = { readonly fixed: bigint; readonly sharePpm: bigint }

export type RuledBook = ChargeRule & { readonly mode: Mode; readonly currency: string }

/** All of them, at most two for each currency. */
export async function listRules(db: Db): Promise<RuledBook[]> {
  const { rows } = await db.query<RuledBook>({
    name: 'charge_rules',
    text: 'select mode, currency, fixed, share_ppm::bigint as "sharePpm" from charge_rules',
  })
  return rows
}

/** The operator's rule for a book. Without one nothing is charged. */
export function pickRule(rules: readonly RuledBook[], mode: Mode, currency: string): ChargeRule {
  return rules.find((rule) => rule.mode === mode && rule.currency === currency) ?? { fixed: 0n, sharePpm: 0n }
}

export async function saveRule(db: Db, mode: Mode, currency: string, { fixed, sharePpm }: ChargeRule): Promise<void> {
  await execute(db)`
    insert into charge_rules (mode, currency, fixed, share_ppm) values (${mode}, ${currency}, ${fixed}, ${sharePpm})
      on conflict (mode, currency) do update set fixed = excluded.fixed, share_ppm = excluded.share_ppm`
}

/** What a charge has to know of a merchant. */
export type MerchantTerms = {
  readonly environmentId: string
  readonly code: string
  /** The public key is not enough to redeem. */
  readonly needsSecret: boolean
  readonly takesFromBalance: boolean
  readonly discountPpm: bigint
}

export async function findMerchantTerms(db: Db, environmentIds: readonly string[], at: Date) {
  const { rows } = await db.query<MerchantTerms>({
    name: 'merchant_terms',
    text: `select environment_id as "environmentId", code, needs_secret as "needsSecret",
      takes_from_balance as "takesFromBalance", discount_ppm::bigint as "discountPpm"
      from merchant_terms($1::uuid[], $2)`,
    values: [plainArray([...new Set(environmentIds)]), at],
  })
  return new Map(rows.map((row) => [row.environmentId, row]))
}

export async function saveTakesFromBalance(tx: Tx, environmentId: string, takes: boolean): Promise<void> {
  await execute(tx)`
    insert into charge_settings (environment_id, takes_from_balance) values (${environmentId}, ${takes})
      on conflict (environment_id) do update set takes_from_balance = excluded.takes_from_balance`
}

export type Discount = {
  readonly id: string
  readonly discountPpm: bigint
  readonly startsAt: Date
  readonly endsAt: Date
}

export async function insertDiscount(tx: Tx, environmentId: string, discount: Discount): Promise<void> {
  await execute(tx)`
    insert into charge_discounts (id, environment_id, discount_ppm, starts_at, ends_at)
      values (${discount.id}, ${environmentId}, ${discount.discountPpm}, ${discount.startsAt}, ${discount.endsAt})`
}
