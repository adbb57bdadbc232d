import { oneOf } from '../../base/column-type.ts'
import type { Db, Tx } from '../../base/db.ts'
import { type Mode, modes } from '../../base/mode.ts'
import { execute, list, queryRows, type RowOf, selectValue, sql, textOf } from '../../base/sql.ts'
import { defineTable, insertInto, type TableRow } from '../../base/table.ts'
import type { Account } from '../../ledger/account.ts'
import { plainArray } from '../../ledger/document.ts'

const chargeRules = defineTable('charge_rules', {
  mode: oneOf(modes),
  currency: sql.text,
  fixed: sql.numeric,
  sharePpm: sql.integer,
})

const ruleColumns = list({
  ...chargeRules.columns('', 'mode', 'currency', 'fixed'),
  sharePpm: sql.bigint`share_ppm::bigint`,
})
const selectRules = `select ${textOf(ruleColumns)} from charge_rules`
export type RuledBook = RowOf<typeof ruleColumns>
export type ChargeRule = Pick<RuledBook, 'fixed' | 'sharePpm'>

/** All fee rules: at most two per currency, one for each mode. */
export async function listRules(db: Db): Promise<RuledBook[]> {
  return queryRows(db, ruleColumns, { name: 'charge_rules', text: selectRules })
}

/** The operator's fee rule for a book. Without one there is no fee. */
export function pickRule(rules: readonly RuledBook[], mode: Mode, currency: string): ChargeRule {
  return rules.find((rule) => rule.mode === mode && rule.currency === currency) ?? { fixed: 0n, sharePpm: 0n }
}

export async function saveRule(db: Db, mode: Mode, currency: string, { fixed, sharePpm }: ChargeRule): Promise<void> {
  await execute(db)`
    ${insertInto(chargeRules, { mode, currency, fixed, sharePpm: Number(sharePpm) })}
      on conflict (mode, currency) do update set fixed = excluded.fixed, share_ppm = excluded.share_ppm`
}

const chargeSettings = defineTable('charge_settings', {
  environmentId: sql.uuid,
  takesFromBalance: sql.boolean,
})

const termsColumns = list({
  ...chargeSettings.columns('', 'environmentId', 'takesFromBalance'),
  code: sql.text`code`,
  /** True if redemptions need the secret key. */
  needsSecret: sql.boolean`needs_secret`,
  discountPpm: sql.bigint`discount_ppm::bigint`,
})
const selectTerms = `select ${textOf(termsColumns)} from merchant_terms($1::uuid[], $2)`
/** The fee settings of a merchant. */
export type MerchantTerms = RowOf<typeof termsColumns>

export async function findMerchantTerms(
  db: Db,
  environmentIds: readonly string[],
  at: Date,
): Promise<Map<string, MerchantTerms>> {
  const values = [plainArray([...new Set(environmentIds)]), at]
  const rows = await queryRows(db, termsColumns, { name: 'merchant_terms', text: selectTerms, values })
  return new Map(rows.map((row) => [row.environmentId, row]))
}

/** Fees are settled in the merchant's home currency. */
export async function findHomeCurrency(db: Db, merchantId: string): Promise<string> {
  const homeCurrency = await selectValue(db)`select ${sql.text`home_currency`} from merchants where id = ${merchantId}`
  if (homeCurrency === undefined) throw new Error('A merchant with keys does not exist.')
  return homeCurrency
}

export async function saveTakesFromBalance(tx: Tx, environmentId: string, takes: boolean): Promise<void> {
  await execute(tx)`
    ${insertInto(chargeSettings, { environmentId, takesFromBalance: takes })}
      on conflict (environment_id) do update set takes_from_balance = excluded.takes_from_balance`
}

const chargeDiscounts = defineTable('charge_discounts', {
  id: sql.uuid,
  environmentId: sql.uuid,
  discountPpm: sql.integer,
  startsAt: sql.timestamptz,
  endsAt: sql.timestamptz,
})

export type Discount = Pick<TableRow<typeof chargeDiscounts>, 'id' | 'startsAt' | 'endsAt'> & {
  readonly discountPpm: bigint
}

export async function insertDiscount(tx: Tx, environmentId: string, discount: Discount): Promise<void> {
  const discountPpm = Number(discount.discountPpm)
  await execute(tx)`${insertInto(chargeDiscounts, { ...discount, environmentId, discountPpm })}`
}

const adminBalanceAlerts = defineTable('admin_balance_alerts', {
  environmentId: sql.uuid,
  bookId: sql.smallint,
  /** How often it had been funded. There is one alert between two fundings. */
  fundings: sql.bigint,
  balance: sql.numeric,
  createdAt: sql.timestamptz,
})

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
  return selectValue(tx)`
    insert into admin_balance_alerts (environment_id, book_id, fundings, balance, created_at)
      select ${ownerId}, ${bookId}, funded.times, coalesce(a.balance - a.held, 0), ${at}
      from (select count(*) as times from all_transfers
        where to_owner = ${ownerId} and book_id = ${bookId} and to_kind = 'merchant_admin') funded
      left join ledger_accounts a on a.owner_id = ${ownerId} and a.book_id = ${bookId} and a.kind = 'merchant_admin'
      where coalesce(a.balance - a.held, 0) < ${fee}
      on conflict do nothing returning ${adminBalanceAlerts.columns('', 'balance').balance}`
}
