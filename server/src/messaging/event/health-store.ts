import { orNull } from '../../base/column-type.ts'
import type { Tx } from '../../base/db.ts'
import { list, type RowOf, select, sql } from '../../base/sql.ts'

const isDelivered = sql.boolean`a.status_code between 200 and 299`
// Attempts that are read for each endpoint. A busy one has more in a day, and shows the newest.
const attemptsMax = 1_000
const deliveriesMax = 1_000

function newestAttempts(at: Date): ReturnType<typeof sql> {
  return sql`
    webhook_endpoints w cross join lateral (
      select * from webhook_attempts a
      where a.endpoint_id = w.id and a.event_id >= first_id_at(${at}::timestamptz - interval '24 hours')
      order by a.event_id desc limit ${attemptsMax}
    ) a`
}

const totalColumns = list({
  endpointId: sql.uuid`w.id`,
  attempts: sql.integer`count(*)::integer`,
  delivered: sql.integer`(count(*) filter (where ${isDelivered}))::integer`,
  medianMs: orNull(sql.integer)`percentile_disc(0.5) within group (order by a.duration_ms)`,
  /** The status or the reason of the newest failure. */
  lastFailure: orNull(
    sql.text,
  )`(array_agg(coalesce(a.status_code::text, a.failure) order by a.at desc) filter (where ${isDelivered} is not true))[1]`,
})
const hourColumns = list({
  endpointId: sql.uuid`w.id`,
  hoursAgo: sql.integer`floor(extract(epoch from n.at - a.at) / 3600)::integer`,
  attempts: sql.integer`count(*)::integer`,
  delivered: sql.integer`(count(*) filter (where ${isDelivered}))::integer`,
})
const openColumns = list({
  endpointId: sql.uuid`w.id`,
  failed: sql.integer`(count(*) filter (where d.status = 'failed'))::integer`,
  retrying: sql.integer`(count(*) filter (where d.status = 'pending' and d.attempts > 0))::integer`,
  nextAttemptAt: orNull(sql.timestamptz)`min(d.next_attempt_at) filter (where d.attempts > 0)`,
})

export type Health = Omit<RowOf<typeof totalColumns>, 'endpointId'> & {
  readonly failed: number
  readonly retrying: number
  readonly nextAttemptAt: Date | null
  /** The last 24 hours, oldest first. */
  readonly hours: readonly { readonly attempts: number; readonly delivered: number }[]
}

const hoursShown = 24
const none = { attempts: 0, delivered: 0, medianMs: null, lastFailure: null }

/** How the deliveries of the last 24 hours went, by endpoint. */
export async function readHealth(tx: Tx, at: Date): Promise<(endpointId: string) => Health> {
  const totals = await select(tx)`select ${totalColumns} from ${newestAttempts(at)} group by w.id`
  const hours = await select(tx)`
    select ${hourColumns} from (select ${at}::timestamptz as at) n, ${newestAttempts(at)} group by 1, 2`
  const open = await select(tx)`
    select ${openColumns} from webhook_endpoints w cross join lateral (
        select * from webhook_deliveries d where d.endpoint_id = w.id and d.status <> 'delivered'
        order by d.event_id desc limit ${deliveriesMax}
      ) d group by w.id`
  return (endpointId) => {
    const isOfEndpoint = (row: { readonly endpointId: string }): boolean => row.endpointId === endpointId
    const { attempts, delivered, medianMs, lastFailure } = totals.find(isOfEndpoint) ?? none
    const { failed, retrying, nextAttemptAt } = open.find(isOfEndpoint) ?? {
      failed: 0,
      retrying: 0,
      nextAttemptAt: null,
    }
    const own = hours.filter(isOfEndpoint)
    return {
      ...{ attempts, delivered, medianMs, lastFailure, failed, retrying, nextAttemptAt },
      hours: Array.from({ length: hoursShown }, (_, i) => {
        const hour = own.find(({ hoursAgo }) => hoursAgo === hoursShown - 1 - i)
        return { attempts: hour?.attempts ?? 0, delivered: hour?.delivered ?? 0 }
      }),
    }
  }
}
