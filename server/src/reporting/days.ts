import type { Db } from '../base/db.ts'
import { type Fragment, orNull } from '../base/column-type.ts'
import { list, raw, type RowOf, select, selectOne, sql } from '../base/sql.ts'
import { readCursor } from '../http/pages.ts'
import { firstIdAt, type IdRange } from '../payments/transaction/store.ts'

/** A time range, as a range of ids. */
export type Span = IdRange & { readonly name: string }

const startOf = (day: string): Fragment => raw(`start_of_day(${day}, time_zone)`)

const dayColumns = list({
  day: sql.text`day::text`,
  starts: sql.timestamptz`${startOf('day')}`,
  ends: sql.timestamptz`${startOf('(day + 1)')}`,
})
type Bounds = RowOf<typeof dayColumns>

const toSpan = ({ day, starts, ends }: Bounds): Span => ({ name: day, from: firstIdAt(starts), below: firstIdAt(ends) })

/** The last days in the merchant's time zone, oldest first, up to today. */
export async function readDays(db: Db, merchantId: string, at: Date, days: number): Promise<Span[]> {
  const bounds = await select(db)`
    select ${dayColumns}
      from (select time_zone, (${at}::timestamptz at time zone time_zone)::date - back as day
        from merchants, generate_series(${days - 1}::integer, 0, -1) as back where id = ${merchantId}) calendar`
  return bounds.map(toSpan)
}

const lastWeekColumns = list({
  day: sql.text`'last week'`,
  starts: sql.timestamptz`${startOf('moment::date')}`,
  ends: sql.timestamptz`moment at time zone time_zone`,
})

/** The same weekday a week ago, up to the same time of day. */
export async function readLastWeek(db: Db, merchantId: string, at: Date): Promise<Span> {
  const bounds = await selectOne(db)`
    select ${lastWeekColumns}
      from (select time_zone, (${at}::timestamptz at time zone time_zone) - interval '7 days' as moment
        from merchants where id = ${merchantId}) calendar`
  if (bounds === undefined) throw new Error('A merchant with staff is missing.')
  return toSpan(bounds)
}

const rangeColumns = list({
  starts: orNull(sql.timestamptz)`${startOf('first_day')}`,
  ends: orNull(sql.timestamptz)`${startOf('(last_day + 1)')}`,
})

/** From the start of one day to the end of another. Either can be left open. */
export async function readRange(
  db: Db,
  merchantId: string,
  { from, until }: { readonly from?: string | undefined; readonly until?: string | undefined },
): Promise<IdRange> {
  const found = await selectOne(db)`
    select ${rangeColumns}
      from merchants, (select ${from}::date as first_day, ${until}::date as last_day) asked where id = ${merchantId}`
  const { starts = null, ends = null } = found ?? {}
  return {
    from: firstIdAt(starts ?? new Date(0)),
    below: ends === null ? readCursor(undefined) : firstIdAt(ends),
  }
}
