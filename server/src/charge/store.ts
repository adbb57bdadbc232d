import type { Db, Tx } from '../base/db.ts'
import { execute, selectValue } from '../base/sql.ts'
import type { Account } from '../ledger/account.ts'
import type { Mode } from '../ledger/book.ts'
import { plainArray } from '../ledger/document.ts'

export type ChargeRule = { readonly fixed: bigint; readonly sharePpm: bigint }

export type RuledBook = ChargeRule & { readonly mode: Mode; readonly currency: string }

/** All fee rules: at most two per currency, one for each mode. */
export async function listRules(db: Db): Promise<RuledBook[]> {
  const { rows } = await db.query<RuledBook>({
    name: 'charge_rules',
    text: 'select mode, currency, fixed, share_ppm::bigint as "sharePpm" from charge_rules',
  })
  return rows
}

/** The operator's fee rule for a book. Without one there is no fee. */
export function pickRule(rules: readonly RuledBook[], mode: Mode, currency: string): ChargeRule {
  return rules.find((rule) => rule.mode === mode && rule.currency === currency) ?? { fixed: 0n, sharePpm: 0n }
}

export async function saveRule(db: Db, mode: Mode, currency: string, { fixed, sharePpm }: ChargeRule): Promise<void> {
  await execute(db)`
    insert into charge_rules (mode, currency, fixed, share_ppm) values (${mode}, ${currency}, ${fixed}, ${sharePpm})
      on conflict (mode, currency) do update set fixed = excluded.fixed, share_ppm = excluded.share_ppm`
}

/** The fee settings of a merchant. */
export type MerchantTerms = {
  readonly environmentId: string
  readonly code: string
  /** True if redemptions need the secret key. */
  readonly needsSecret: boolean
  readonly takesFromBalance: boolean
  readonly discountPpm: bigint
}

export async function findMerchantTerms(
  db: Db,
  environmentIds: readonly string[],
  at: Date,
): Promise<Map<string, MerchantTerms>> {
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

/**
 * Records that an admin balance does not cover a fee, and returns the balance. Returns undefined if it covers the fee now, or if
 * this was recorded since it was last funded. One statement sees the balance and its fundings at one moment.
 */
export async function insertLowAlert(
  tx: Tx,
  { ownerId, bookId }: Account,
  fee: bigint,
  at: Date,
): Promise<bigint | undefined> {
  return selectValue<bigint>(tx)`
    insert into admin_balance_alerts (environment_id, book_id, fundings, balance, created_at)
      select ${ownerId}, ${bookId}, funded.times, coalesce(a.balance - a.held, 0), ${at}
      from (select count(*) as times from ledger_transfers
        where to_owner = ${ownerId} and book_id = ${bookId} and to_kind = 'merchant_admin') funded
      left join ledger_accounts a on a.owner_id = ${ownerId} and a.book_id = ${bookId} and a.kind = 'merchant_admin'
      where coalesce(a.balance - a.held, 0) < ${fee}
      on conflict do nothing returning balance`
}
