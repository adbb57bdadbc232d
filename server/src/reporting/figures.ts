import type { Tx } from '../base/db.ts'
import { orNull } from '../base/column-type.ts'
import { execute, list, queryRows, raw, type RowOf, select, sql, textOf } from '../base/sql.ts'
import { ledgerBooks } from '../ledger/book.ts'
import { defineTable } from '../base/table.ts'
import { firstIdAt, lockDays, transactions } from '../payments/transaction/store.ts'
import type { Span } from './days.ts'
import { saleTypes } from './payments-store.ts'

const sumFields = {
  ...transactions.columns('f', 'type'),
  ...ledgerBooks.columns('b', 'currency'),
  count: sql.integer`f.count`,
  amount: sql.numeric`f.amount`,
}
const figureColumns = list({ span: sql.text`s.name`, ...sumFields })
/** The total of one transaction type in one currency. */
export type Figure = RowOf<typeof figureColumns>

/**
 * A transaction counts on the day when its money moved: the day it was created, or that of the journal that settled
 * it. A past day never changes, unless a network reverses a final deposit. Refunded transactions still count: a
 * refund is its own transaction.
 */
const moved = (which: string): string => `
  select t.type, t.book_id, t.member_id, t.amount, t.charged from all_transactions t
    where t.environment_id = ${which} and t.id >= s.from_id and t.id < s.below
      and t.settled_by is null and t.status in ('COMPLETED', 'REFUNDED')
  union all
  select t.type, t.book_id, t.member_id, coalesce(d.credited, t.amount), coalesce(d.credited, t.charged) from all_transactions t
    left join deposits d on d.id = t.id
    where t.environment_id = ${which} and t.settled_by >= s.from_id and t.settled_by < s.below
      and t.status in ('COMPLETED', 'REFUNDED')`

const sums = `select ${textOf(figureColumns)}
  from unnest($1::text[], $2::uuid[], $3::uuid[]) s (name, from_id, below)
  cross join lateral (
    select type, book_id, count(*)::integer as count, sum(amount) as amount from (${moved('$4')}) m group by type, book_id
  ) f join ledger_books b on b.id = f.book_id
  order by s.from_id, b.currency, f.type`

/** Totals of each time range, computed now. */
export async function sumByKind(tx: Tx, environmentId: string, spans: readonly Span[]): Promise<Figure[]> {
  const ranges = [spans.map(({ name }) => name), spans.map(({ from }) => from), spans.map(({ below }) => below)]
  return queryRows(tx, figureColumns, { text: sums, values: [...ranges, environmentId] })
}

/** The totals of past days. */
const settledDays = defineTable('settled_days', {
  environmentId: sql.uuid,
  fromId: sql.uuid,
  belowId: sql.uuid,
  figures: sql.json,
})
const storedColumns = list({
  from: settledDays.types.fromId`from_id`,
  below: settledDays.types.belowId`below_id`,
  ...settledDays.columns('', 'figures'),
})

// Amounts as text, because JSON would turn them into floats.
const storedTypes = { type: transactions.types.type, currency: sql.text, count: sql.integer, amount: sql.text }
type StoredFigure = Omit<Figure, 'span' | 'amount'> & { readonly amount: string }

function isStoredFigure(figure: unknown): figure is StoredFigure {
  if (typeof figure !== 'object' || figure === null) return false
  return Object.entries(storedTypes).every(([name, { accepts }]) => accepts(Reflect.get(figure, name)))
}

function readFigures(figures: unknown, span: string): Figure[] {
  if (!Array.isArray(figures) || !figures.every(isStoredFigure)) throw new Error('Stored totals have another form.')
  return figures.map((figure) => ({ ...figure, span, amount: BigInt(figure.amount) }))
}

/** Postings that began before a point in time have ended this much later. */
export const settledAfterMs = 3_600_000

/** Totals of whole days. Those of past days are computed once and stored. */
export async function sumDays(tx: Tx, environmentId: string, days: readonly Span[], at: Date): Promise<Figure[]> {
  await lockDays(tx, environmentId, 'shared')
  const stored = await select(tx)`
    select ${storedColumns} from settled_days
      where environment_id = ${environmentId} and from_id = any(${days.map(({ from }) => from)}::uuid[])`
  const findStored = (day: Span) => stored.find(({ from, below }) => from === day.from && below === day.below)
  const open = days.filter((day) => findStored(day) === undefined)
  const summed = await sumByKind(tx, environmentId, open)
  const settled = open.filter(({ below }) => below <= firstIdAt(new Date(at.getTime() - settledAfterMs)))
  const figuresOf = ({ name }: Span): Figure[] => summed.filter(({ span }) => span === name)
  const texts = settled.map((day) =>
    JSON.stringify(figuresOf(day).map((figure) => ({ ...figure, amount: String(figure.amount) }))),
  )
  if (settled.length > 0)
    await execute(tx)`
    insert into settled_days (environment_id, from_id, below_id, figures)
      select ${environmentId}, * from unnest(${settled.map(({ from }) => from)}::uuid[],
        ${settled.map(({ below }) => below)}::uuid[], ${texts}::json[]) on conflict do nothing`
  return days.flatMap((day) => {
    const known = findStored(day)
    return known === undefined ? figuresOf(day) : readFigures(known.figures, day.name)
  })
}

const cashierColumns = list({
  /** Null: API keys. */
  memberId: orNull(sql.uuid)`f.member_id`,
  name: sql.text`coalesce(trim(u.other_names || ' ' || u.surname), '')`,
  ...sumFields,
  /** Fees that payers paid on top. */
  charges: sql.numeric`f.charges`,
})
export type CashierFigure = RowOf<typeof cashierColumns>

/** Totals of one day by staff member: of all, or of one. */
export async function sumByCashier(
  tx: Tx,
  environmentId: string,
  { from, below }: Span,
  memberId: string | undefined,
): Promise<CashierFigure[]> {
  return select(tx)`
    select ${cashierColumns}
      from (select ${from}::uuid as from_id, ${below}::uuid as below, ${environmentId}::uuid as environment_id) s
      cross join lateral (
        select type, book_id, member_id, count(*)::integer as count, sum(amount) as amount,
            sum(charged - amount) as charges
          from (${raw(moved('s.environment_id'))}) m
          where ${memberId}::uuid is null or member_id = ${memberId} group by type, book_id, member_id
      ) f join ledger_books b on b.id = f.book_id left join users u on u.id = f.member_id
      order by f.member_id is null, name, b.currency, f.type`
}

const salesColumns = list({
  ...ledgerBooks.columns('b', 'currency'),
  count: sql.integer`count(*)::integer`,
  amount: sql.numeric`sum(t.amount - t.refunded)`,
  refunded: sql.numeric`sum(t.refunded)`,
})
export type SalesTotal = RowOf<typeof salesColumns>

/** The paid sales that a staff member made since the first id, less what was refunded of them since, by any of the staff. */
export async function sumSales(tx: Tx, environmentId: string, memberId: string, from: string): Promise<SalesTotal[]> {
  return select(tx)`
    select ${salesColumns} from all_transactions t join ledger_books b on b.id = t.book_id
      where t.environment_id = ${environmentId} and t.member_id = ${memberId} and t.id >= ${from}
        and t.type = any(${saleTypes}::text[]) and t.status in ('COMPLETED', 'REFUNDED')
      group by b.currency order by b.currency`
}
