import type { Tx } from '../base/db.ts'
import { type IdRange, type Transaction, transactionColumns } from '../transaction/store.ts'

export type PaymentRow = Transaction & {
  /** Who of the staff did it. */
  readonly by: string
  readonly person: string
  /** What came or went where that is not the amount. */
  readonly credited: bigint | null
}

/** What a payment has to have, and a way to the few that may have it: without one a page could look at a million for nothing. */
export type PaymentFilter = {
  readonly type?: string | undefined
  readonly status?: string | undefined
  readonly bookId?: number | undefined
  /** Of the staff; or whatever keys did. */
  readonly member?: string | undefined
  /** Any of these, if there are any. */
  readonly oneOf?: readonly Match[] | undefined
}
export type Match =
  | { readonly reference: string }
  | { readonly userId: string }
  | { readonly codeTail: string }
  | { readonly amount: bigint; readonly bookId: number }

const types = [
  ...['VOUCHER_REDEMPTION', 'PAYMENT_REQUEST', 'WALLET_DEPOSIT', 'REFUND', 'PAYOUT', 'INVOICE_PAYMENT'],
  ...['VOUCHER_PURCHASE', 'ADJUSTMENT'],
]

/** How many of each way are looked at for a page. */
const scanMax = 500

/**
 * Newest first. Each way to what is asked for is an index that is walked from its newest on, at most so far; what all of them have
 * walked past is filtered. `next` is where to go on, also from a page that is short or empty.
 */
export async function findPayments(
  tx: Tx,
  environmentId: string,
  range: IdRange,
  filter: PaymentFilter,
  limit: number,
  scan = Math.max(scanMax, limit),
): Promise<{ payments: PaymentRow[]; next: string }> {
  const values: unknown[] = []
  const put = (value: unknown): string => `$${values.push(value)}`
  const [own, from, below] = [put(environmentId), put(range.from), put(range.below)]
  const ways = await listWays(tx, filter, put)
  if (ways.length === 0) return { payments: [], next: '' }
  const walked = ways.map(
    (way, i) =>
      `(select ${i} as way, id from ${
        typeof way === 'string'
          ? `transactions where environment_id = ${own} and id >= ${from} and id < ${below} and ${way}`
          : `payments_of_amount(${way.amount}, ${way.book}, ${from}::uuid, ${below}::uuid, ${scan}) as id`
      } order by id desc limit ${scan})`,
  )
  const { type, status, bookId, member } = filter
  const wanted = [
    ...(type === undefined ? [] : [`t.type = ${put(type)}`]),
    ...(status === undefined ? [] : [`t.status = ${put(status)}`]),
    ...(bookId === undefined ? [] : [`t.book_id = ${put(bookId)}`]),
    ...(member === undefined ? [] : [member === 'api' ? 't.member_id is null' : `t.member_id = ${put(member)}`]),
  ]
  const { rows } = await tx.query<PaymentRow & { floor: string | null }>(
    `with found as materialized (${walked.join(' union all ')}),
      floors as (select max(lowest) as floor from (
        select min(id::text) as lowest from found group by way having count(*) = ${scan}) ended)
      select floors.floor, page.* from floors left join lateral (
        select ${transactionColumns}, coalesce(trim(m.other_names || ' ' || m.surname), '') as by,
          coalesce(trim(p.other_names || ' ' || p.surname), '') as person,
          case t.type when 'WALLET_DEPOSIT' then (select d.credited from deposits d where d.id = t.id) end as credited
        from (select distinct id from found where floors.floor is null or id::text >= floors.floor) f
        join transactions t on t.environment_id = ${own} and t.id = f.id
        join ledger_books b on b.id = t.book_id
        left join users m on m.id = t.member_id
        left join users p on p.id = t.user_id
        where ${['true', ...wanted].join(' and ')} order by t.id desc limit ${put(limit)}
      ) page on true order by page.id desc`,
    values,
  )
  // Without a row there is one that says how far was looked.
  const payments = rows.filter(({ id }) => (id as string | null) !== null)
  const last = payments.length === limit ? payments.at(-1)?.id : undefined
  return { payments, next: last ?? rows[0]?.floor ?? '' }
}

/** A condition that an index serves; or an amount, which PostgreSQL looks for by itself. */
type Way = string | { readonly amount: string; readonly book: string }

async function listWays(tx: Tx, filter: PaymentFilter, put: (value: unknown) => string): Promise<Way[]> {
  const { type, status, bookId, member, oneOf } = filter
  if (oneOf !== undefined) return oneOf.map((match) => wayTo(match, put))
  if (status !== undefined && status !== 'COMPLETED') return [`status = ${put(status)} and status <> 'COMPLETED'`]
  if (member !== undefined && member !== 'api') return [`member_id = ${put(member)}`]
  if (type === undefined && bookId === undefined) return ['true']
  const books = bookId === undefined ? await listBooks(tx) : [bookId]
  return (type === undefined ? types : [type]).flatMap((each) =>
    books.map((book) => `type = ${put(each)} and book_id = ${put(book)}`),
  )
}

function wayTo(match: Match, put: (value: unknown) => string): Way {
  if ('reference' in match) return `reference = ${put(match.reference)}`
  if ('userId' in match) return `user_id = ${put(match.userId)}`
  if ('codeTail' in match) return `code_tail = ${put(match.codeTail)}`
  return { amount: `${put(match.amount)}::numeric`, book: `${put(match.bookId)}::smallint` }
}

async function listBooks(tx: Tx): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>('select id from ledger_books')
  return rows.map(({ id }) => id)
}
