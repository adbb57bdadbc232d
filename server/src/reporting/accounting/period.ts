import type { Tx } from '../../base/db.ts'
import { list, selectOne, sql } from '../../base/sql.ts'
import { firstIdAt } from '../../payments/transaction/store.ts'
import { reportError } from './errors.ts'

/** Whole days in a merchant's time zone, and the range of ids that they are. */
export type Period = {
  readonly from: string
  readonly until: string
  readonly timeZone: string
  readonly fromId: string
  readonly belowId: string
}

export type PeriodInput = { readonly from?: string | undefined; readonly until?: string | undefined }

const periodColumns = list({
  timeZone: sql.text`time_zone`,
  from: sql.text`first_day::text`,
  until: sql.text`last_day::text`,
  starts: sql.timestamptz`start_of_day(first_day, time_zone)`,
  ends: sql.timestamptz`start_of_day(last_day + 1, time_zone)`,
})

/** Both days count. By default the last one is today, and the first one that of the last one's month. */
export async function readPeriod(tx: Tx, merchantId: string, { from, until }: PeriodInput, at: Date): Promise<Period> {
  const found = await selectOne(tx)`
    select ${periodColumns} from (
        select time_zone, last_day, coalesce(${from}::date, date_trunc('month', last_day::timestamp)::date) as first_day
          from (select time_zone, coalesce(${until}::date, day_at(${at}, time_zone)) as last_day
            from merchants where id = ${merchantId}) ending
      ) period`
  if (found === undefined) throw new Error('A merchant with a caller is missing.')
  const { starts, ends, ...days } = found
  if (days.from > days.until) throw reportError('REPORT_PERIOD_INVALID', { param: 'from' })
  return { ...days, fromId: firstIdAt(starts), belowId: firstIdAt(ends) }
}
