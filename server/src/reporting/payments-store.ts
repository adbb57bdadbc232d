import type { Tx } from '../base/db.ts'
import { oneOf, orNull } from '../base/column-type.ts'
import { type List, list, queryRows, raw, type RowOf, select, sql, textOf } from '../base/sql.ts'
import { type IdRange, transactionFields } from '../payments/transaction/store.ts'
import { type TransactionType, transactionTypes } from '../payments/transaction/wire.ts'
import { statusReasons } from './wire.ts'

const paymentColumns = list({
  ...transactionFields,
  /** The name of the staff member who acted. */
  by: sql.text`coalesce(trim(m.other_names || ' ' || m.surname), '')`,
  person: sql.text`coalesce(trim(p.other_names || ' ' || p.surname), '')`,
  /** The credited amount, if it differs from the amount. */
  credited: orNull(sql.numeric)`
    case t.type when 'WALLET_DEPOSIT' then (select d.credited from deposits d where d.id = t.id) end`,
  /** The fee of a redemption, in the currency of the payment. */
  fee: orNull(sql.numeric)`
    case t.type when 'VOUCHER_REDEMPTION' then (select r.charge from all_transfers l
      join all_redemptions r on r.voucher_id = l.from_owner and r.id = l.journal_id
      where l.journal_id = t.id and l.from_kind in ('voucher', 'store_voucher') limit 1) end`,
  /** Why it ended without its money. Null for the others, so that only few rows of a page read another table. */
  statusReason: orNull(oneOf(statusReasons))`
    case when t.status not in ('FAILED', 'CANCELED', 'REVERSED') then null
      when t.status = 'REVERSED' then 'network_reversed'
      when t.type = 'VOUCHER_REDEMPTION' then 'network_failed'
      when t.type = 'PAYMENT_REQUEST' and t.status = 'FAILED' then 'declined'
      when t.type = 'PAYMENT_REQUEST' then (
        select case when r.ended_at >= r.expires_at then 'expired' else 'withdrawn' end
          from payment_requests r where r.id = t.id)
      when t.type = 'WALLET_DEPOSIT' and t.status = 'CANCELED' then 'withdrawn'
      when t.type = 'WALLET_DEPOSIT' then (
        select case when d.ended_at < d.expires_at then 'network_reversed' when d.paid > 0 then 'underpaid' else 'expired' end
          from deposits d where d.id = t.id)
      else (
        select case when o.ended_at >= o.held_until then 'not_approved' else 'withdrawn' end
          from outflows o where o.environment_id = t.environment_id and o.id = t.id) end`,
})
export type PaymentRow = RowOf<typeof paymentColumns>

/** A row of a page: the floor, and a payment if the page has any. */
type PageRow = { readonly floor: string | null } & { readonly [Name in keyof PaymentRow]: PaymentRow[Name] | null }

const pageColumns: List<PageRow> = {
  ...raw('floors.floor, page.*'),
  columns: [
    { name: 'floor', type: orNull(sql.text) },
    ...paymentColumns.columns.map(({ name, type }) => ({ name, type: orNull(type) })),
  ],
}

function isPayment(row: PageRow): row is PageRow & PaymentRow {
  const values: Readonly<Record<string, unknown>> = row
  return paymentColumns.columns.every(({ name, type }) => type.isNullable || values[name] !== null)
}

/** The filter of a payment list. Each filter is served by an index, or a page could scan a million rows in vain. */
export type PaymentFilter = {
  readonly type?: string | undefined
  readonly status?: string | undefined
  readonly bookId?: number | undefined
  /** The id of a staff member, or "api" for API keys. */
  readonly member?: string | undefined
  /** Payments by customers only. */
  readonly isSale?: boolean | undefined
  /** Payments that match any of these. */
  readonly oneOf?: readonly Match[] | undefined
}
export type Match =
  | { readonly reference: string }
  | { readonly userId: string }
  | { readonly codeTail: string }
  | { readonly amount: bigint; readonly bookId: number }

/** The types of payments by customers. */
export const saleTypes: readonly TransactionType[] = ['VOUCHER_REDEMPTION', 'PAYMENT_REQUEST', 'WALLET_DEPOSIT']

/** Rows scanned per index and page. */
const scanMax = 500

/**
 * Newest first. Scans at most `scan` rows of each index from the newest on, and filters the rows that all indexes
 * have reached. `next` is the cursor of the next page, also after a short or empty page.
 */
export async function findPayments(
  tx: Tx,
  environmentId: string,
  range: IdRange,
  filter: PaymentFilter,
  limit: number,
  scan = Math.max(scanMax, limit + 1),
): Promise<{ payments: PaymentRow[]; next: string }> {
  const values: unknown[] = []
  const put = (value: unknown): string => `$${values.push(value)}`
  const own = put(environmentId)
  const from = put(range.from)
  const below = put(range.below)
  const scans = await listScans(tx, filter, put)
  if (scans.length === 0) return { payments: [], next: '' }
  const idsOf = (each: Scan): string => {
    if (each === 'refunded')
      return `refund_of as id from all_transactions where environment_id = ${own} and refund_of >= ${from} and refund_of < ${below}`
    return typeof each === 'string'
      ? `id from all_transactions where environment_id = ${own} and id >= ${from} and id < ${below} and ${each}`
      : `id from payments_of_amount(${each.amount}, ${each.book}, ${from}::uuid, ${below}::uuid, ${scan}) as id`
  }
  const scanned = scans.map((each, i) => `(select ${i} as way, ${idsOf(each)} order by id desc limit ${scan})`)
  const { type, status, bookId, member, isSale = false } = filter
  const wanted = [
    ...(type === undefined ? [] : [`t.type = ${put(type)}`]),
    ...(status === undefined ? [] : [statusIs(status, put)]),
    ...(isSale ? [`t.type = any(${put(saleTypes)}::text[])`] : []),
    ...(bookId === undefined ? [] : [`t.book_id = ${put(bookId)}`]),
    ...(member === undefined ? [] : [member === 'api' ? 't.member_id is null' : `t.member_id = ${put(member)}`]),
  ]
  const text = `with found as materialized (${scanned.join(' union all ')}),
      floors as (select max(lowest) as floor from (
        select min(id::text) as lowest from found group by way having count(*) = ${scan}) ended)
      select ${textOf(pageColumns)} from floors left join lateral (
        select ${textOf(paymentColumns)}
        from (select distinct id from found where floors.floor is null or id::text >= floors.floor) f
        -- Cut at one, or PostgreSQL may read all payments and compare.
        cross join lateral (select * from all_transactions t where t.environment_id = ${own} and t.id = f.id limit 1) t
        join ledger_books b on b.id = t.book_id
        left join users m on m.id = t.member_id
        left join users p on p.id = t.user_id
        where ${['true', ...wanted].join(' and ')} order by t.id desc limit ${put(limit + 1)}
      ) page on true order by page.id desc`
  const rows = await queryRows(tx, pageColumns, { text, values })
  // A page without payments has one row, which only holds the floor.
  const found = rows.filter(isPayment)
  const payments = found.slice(0, limit)
  const last = found.length > limit ? payments.at(-1)?.id : undefined
  return { payments, next: last ?? rows[0]?.floor ?? '' }
}

/** The condition for a shown status. */
function statusIs(status: string, put: (value: unknown) => string): string {
  if (status === 'PARTIALLY_REFUNDED') return `t.status = 'COMPLETED' and t.refunded > 0`
  return status === 'COMPLETED' ? `t.status = 'COMPLETED' and t.refunded = 0` : `t.status = ${put(status)}`
}

/**
 * A condition that an index serves; an amount, for which a database function searches; or "refunded", the payments that
 * refunds name.
 */
type Scan = string | { readonly amount: string; readonly book: string }

async function listScans(tx: Tx, filter: PaymentFilter, put: (value: unknown) => string): Promise<Scan[]> {
  const { type, status, bookId, member, oneOf } = filter
  if (oneOf !== undefined) return oneOf.map((match) => scanFor(match, put))
  if (status === 'PARTIALLY_REFUNDED') return ['refunded']
  if (status !== undefined && status !== 'COMPLETED') return [`status = ${put(status)} and status <> 'COMPLETED'`]
  if (member !== undefined && member !== 'api') return [`member_id = ${put(member)}`]
  if (type === undefined && bookId === undefined) return ['true']
  const books = bookId === undefined ? await listBooks(tx) : [bookId]
  return (type === undefined ? transactionTypes : [type]).flatMap((each) =>
    books.map((book) => `type = ${put(each)} and book_id = ${put(book)}`),
  )
}

function scanFor(match: Match, put: (value: unknown) => string): Scan {
  if ('reference' in match) {
    const reference = put(match.reference)
    return `id = (select id_of_reference(scrip_environment(), ${reference})) and reference = ${reference}`
  }
  if ('userId' in match) return `user_id = ${put(match.userId)}`
  if ('codeTail' in match) return `code_tail = ${put(match.codeTail)}`
  return { amount: `${put(match.amount)}::numeric`, book: `${put(match.bookId)}::smallint` }
}

async function listBooks(tx: Tx): Promise<number[]> {
  const rows = await select(tx)`select ${list({ id: sql.smallint`id` })} from ledger_books`
  return rows.map(({ id }) => id)
}
