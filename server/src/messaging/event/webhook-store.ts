import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import type { Db, Pool, Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { Sealed } from '../../base/seal.ts'
import {
  execute,
  executeOne,
  list,
  queryRows,
  raw,
  type RowOf,
  select,
  selectOne,
  selectValue,
  sql,
  textOf,
} from '../../base/sql.ts'
import { defineTable, insertInto, type TableRow } from '../../base/table.ts'
import { plainColumns } from '../../ledger/document.ts'
import { merchantEnvironments } from '../../identity/merchant/store.ts'
import type { Attempt } from './send.ts'
import { eventFields, type PublishedEvent } from './store.ts'
import { deliveryStatuses } from './wire.ts'

const shownStatuses = ['enabled', 'disabled'] as const

const webhookEndpoints = defineTable('webhook_endpoints', {
  environmentId: sql.uuid,
  id: sql.uuid,
  url: sql.text,
  description: sql.text,
  eventTypes: sql.texts,
  keyId: sql.smallint,
  secretSealed: sql.bytea,
  status: oneOf([...shownStatuses, 'deleted']),
  createdAt: sql.timestamptz,
  oldKeyId: withDefault(orNull(sql.smallint)),
  oldSecretSealed: withDefault(orNull(sql.bytea)),
  oldSecretUntil: withDefault(orNull(sql.timestamptz)),
  disabledReason: withDefault(sql.text),
  failingSince: withDefault(orNull(sql.timestamptz)),
  version: withDefault(sql.integer),
})

const endpointColumns = list({
  ...webhookEndpoints.columns('w', 'environmentId', 'id', 'url', 'description', 'eventTypes', 'disabledReason'),
  ...webhookEndpoints.columns('w', 'failingSince', 'createdAt', 'keyId', 'oldKeyId'),
  ...merchantEnvironments.columns('e', 'mode'),
  status: oneOf(shownStatuses)`w.status`,
  sealed: sql.bytea`w.secret_sealed`,
  oldSealed: orNull(sql.bytea)`w.old_secret_sealed`,
  oldUntil: orNull(sql.timestamptz)`w.old_secret_until`,
})
type EndpointRow = RowOf<typeof endpointColumns>

export type Endpoint = Omit<EndpointRow, 'keyId' | 'sealed' | 'oldKeyId' | 'oldSealed' | 'oldUntil'> & {
  readonly secret: Sealed
  readonly oldSecret: (Sealed & { readonly until: Date }) | undefined
}

const selectEndpoints = sql`
  select ${endpointColumns} from webhook_endpoints w join merchant_environments e on e.id = w.environment_id`

function toEndpoint({ keyId, sealed, oldKeyId, oldSealed, oldUntil, ...row }: EndpointRow): Endpoint {
  const hasOld = oldKeyId !== null && oldSealed !== null && oldUntil !== null
  const oldSecret = hasOld ? { keyId: oldKeyId, sealed: oldSealed, until: oldUntil } : undefined
  return { ...row, secret: { keyId, sealed }, oldSecret }
}

export async function listEndpoints(tx: Tx): Promise<Endpoint[]> {
  const rows = await select(tx)`${selectEndpoints} where w.status <> 'deleted' order by w.id`
  return rows.map(toEndpoint)
}

export async function findEndpoint(
  tx: Tx,
  id: string,
  lock: '' | 'for no key update of w' = '',
): Promise<Endpoint | undefined> {
  const row = await selectOne(tx)`${selectEndpoints} where w.id = ${id} and w.status <> 'deleted' ${raw(lock)}`
  return row && toEndpoint(row)
}

type NewEndpoint = Pick<Endpoint, 'environmentId' | 'id' | 'url' | 'description' | 'eventTypes' | 'secret'>

export async function insertEndpoint(tx: Tx, endpoint: NewEndpoint, at: Date): Promise<void> {
  const { environmentId, id, url, description, eventTypes, secret } = endpoint
  const row = { environmentId, id, url, description, eventTypes, keyId: secret.keyId, secretSealed: secret.sealed }
  await execute(tx)`${insertInto(webhookEndpoints, { ...row, status: 'enabled', createdAt: at })}`
}

export type EndpointChange = Partial<Pick<Endpoint, 'url' | 'description' | 'eventTypes'>> & {
  readonly status?: TableRow<typeof webhookEndpoints>['status'] | undefined
  readonly disabledReason?: string
}

/** Changes an endpoint. A change of status resets its failures. */
export async function changeEndpoint(tx: Tx, id: string, change: EndpointChange): Promise<void> {
  const { url, description, eventTypes, status, disabledReason = '' } = change
  await execute(tx)`
    update webhook_endpoints set url = coalesce(${url}, url), description = coalesce(${description}, description),
        event_types = coalesce(${eventTypes}, event_types), status = coalesce(${status}, status),
        disabled_reason = case when ${status}::text is null then disabled_reason else ${disabledReason} end,
        failing_since = case when ${status}::text is null then failing_since end
      where id = ${id}`
}

export async function replaceSecret(tx: Tx, id: string, secret: Sealed, oldUntil: Date): Promise<void> {
  await execute(tx)`
    update webhook_endpoints set old_key_id = key_id, old_secret_sealed = secret_sealed, old_secret_until = ${oldUntil},
      key_id = ${secret.keyId}, secret_sealed = ${secret.sealed} where id = ${id}`
}

/** Returns the sequence number of the next event about the endpoint. */
export async function raiseVersion(tx: Tx, id: string): Promise<number> {
  const found = await selectValue(tx)`
    update webhook_endpoints set version = version + 1 where id = ${id} returning ${sql.integer`version`}`
  return found ?? 0
}

/** Creates deliveries of the next events for the endpoints that subscribe to them. Returns the number of events. */
export async function fanOutEvents(db: Db, at: Date, limit: number): Promise<number> {
  const found = await selectValue(db)`select ${sql.integer`fan_out_events(${at}, ${limit})`}`
  return found ?? 0
}

const nameColumns = list(webhookEndpoints.columns('', 'environmentId', 'id'))
export type EndpointName = RowOf<typeof nameColumns>

export async function findDueEndpoints(db: Db, at: Date): Promise<EndpointName[]> {
  return select(db)`select ${nameColumns} from due_webhook_endpoints(${at})`
}

type DeliveryStatus = (typeof deliveryStatuses)[number]

const webhookDeliveries = defineTable('webhook_deliveries', {
  environmentId: sql.uuid,
  endpointId: sql.uuid,
  eventId: sql.uuid,
  eventNumber: sql.bigint,
  status: oneOf(deliveryStatuses),
  attempts: withDefault(sql.smallint),
  tries: withDefault(sql.smallint),
  nextAttemptAt: orNull(sql.timestamptz),
  createdAt: sql.timestamptz,
})

const dueColumns = list({ ...eventFields, ...webhookDeliveries.columns('d', 'attempts', 'tries') })
export type DueDelivery = { readonly event: PublishedEvent; readonly attempts: number; readonly tries: number }

/** Reads the due deliveries of an endpoint that are not running, longest waiting first, with the current endpoint. */
export function readDue(
  pool: Pool,
  { environmentId, id }: EndpointName,
  underWay: readonly string[],
  at: Date,
  limit: number,
): Promise<{ endpoint: Endpoint | undefined; due: DueDelivery[] }> {
  return withEnvironment(pool, environmentId, async (tx) => {
    const endpoint = await findEndpoint(tx, id)
    // Not a prepared statement: a plan cached when the tables were empty reads the whole outbox for each delivery.
    const rows = await select(tx)`
      select ${dueColumns}
        from webhook_deliveries d join ledger_outbox o on o.txid = d.event_txid and o.id = d.event_number
        where d.endpoint_id = ${id} and d.next_attempt_at <= ${at} and d.event_id <> all(${underWay}::uuid[])
        order by d.next_attempt_at limit ${limit}`
    return { endpoint, due: rows.map(({ attempts, tries, ...event }) => ({ event, attempts, tries })) }
  })
}

export type DoneAttempt = Attempt & {
  readonly eventId: string
  readonly number: number
  /** The number of tries when the delivery was read. If it differs now, the delivery has been replayed. */
  readonly tries: number
  readonly at: Date
  readonly status: DeliveryStatus
  readonly nextAt: Date | null
}

/** Records attempts and updates their deliveries. */
export async function saveAttempts(
  tx: Tx,
  { environmentId, id }: EndpointName,
  done: readonly DoneAttempt[],
): Promise<void> {
  await tx.query({
    name: 'webhook_attempts',
    text: `insert into webhook_attempts
        (environment_id, endpoint_id, event_id, number, at, duration_ms, status_code, failure, excerpt)
      select $1, $2, * from unnest($3::uuid[], $4::smallint[], $5::timestamptz[], $6::integer[], $7::smallint[], $8::text[], $9::text[])
      on conflict do nothing`,
    values: [
      environmentId,
      id,
      ...plainColumns(done, 'eventId', 'number', 'at', 'durationMs', 'statusCode'),
      done.map(({ failure }) => failure),
      done.map(({ excerpt }) => excerpt),
    ],
  })
  await tx.query({
    name: 'webhook_outcomes',
    text: `update webhook_deliveries d
      set attempts = o.number, tries = d.tries + (d.tries = o.tries)::integer,
        status = case when d.tries = o.tries then o.status else d.status end,
        next_attempt_at = case when d.tries = o.tries then o.next_at else d.next_attempt_at end
      from unnest($2::uuid[], $3::smallint[], $4::text[], $5::timestamptz[], $6::smallint[])
        as o (event_id, number, status, next_at, tries)
      where d.endpoint_id = $1 and d.event_id = o.event_id and d.event_id = any($2)`,
    values: [id, ...plainColumns(done, 'eventId', 'number', 'status', 'nextAt', 'tries')],
  })
}

/** Sets the time since which the endpoint fails, or null if it does not. */
export async function noteHealth(tx: Tx, id: string, failingSince: Date | null): Promise<void> {
  await execute(tx)`update webhook_endpoints set failing_since = ${failingSince} where id = ${id}`
}

/** Creates a delivery to this endpoint only, of an event published in this transaction. Returns the event id. */
export async function insertOwnDelivery(tx: Tx, { environmentId, id }: EndpointName, at: Date): Promise<string> {
  const found = await selectValue(tx)`
    insert into webhook_deliveries
        (environment_id, endpoint_id, event_id, event_txid, event_number, status, next_attempt_at, created_at)
      select ${environmentId}, ${id}, o.event_id, o.txid, o.id, 'pending', ${at}, ${at} from ledger_outbox o
      where o.environment_id = ${environmentId} and o.txid = pg_current_xact_id() and o.object_id = ${id}
      returning ${sql.uuid`event_id`}`
  return found ?? ''
}

const deliveryColumns = list({
  ...webhookDeliveries.columns('d', 'status', 'attempts', 'nextAttemptAt', 'createdAt'),
  /** The event id. */
  id: sql.uuid`d.event_id`,
  type: sql.text`o.type`,
})
const selectDeliveries = `select ${textOf(deliveryColumns)}
  from webhook_deliveries d join ledger_outbox o on o.txid = d.event_txid and o.id = d.event_number`
export type Delivery = RowOf<typeof deliveryColumns>

/** Newest first. */
export async function listDeliveries(
  tx: Tx,
  endpointId: string,
  {
    status,
    eventId,
    before,
    limit,
  }: { status?: Delivery['status'] | undefined; eventId?: string; before: string; limit: number },
): Promise<Delivery[]> {
  return queryRows(tx, deliveryColumns, {
    text: `${selectDeliveries}
      where d.endpoint_id = $1 and d.event_id < $2 ${status === undefined ? '' : `and d.status = '${status}'`}
        ${eventId === undefined ? '' : 'and d.event_id = $4'}
      order by d.event_id desc limit $3`,
    values: [endpointId, before, limit, ...(eventId === undefined ? [] : [eventId])],
  })
}

const ofEventColumns = list({
  ...webhookDeliveries.columns('d', 'endpointId', 'status', 'attempts', 'nextAttemptAt'),
  url: sql.text`w.url`,
})
export type DeliveryOfEvent = RowOf<typeof ofEventColumns>

/** The deliveries of an event, also to endpoints that were deleted since. */
export async function listDeliveriesOf(tx: Tx, eventId: string): Promise<DeliveryOfEvent[]> {
  return select(tx)`
    select ${ofEventColumns}
      from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
      where d.event_id = ${eventId} order by w.id`
}

const webhookAttempts = defineTable('webhook_attempts', {
  environmentId: sql.uuid,
  endpointId: sql.uuid,
  eventId: sql.uuid,
  number: sql.smallint,
  at: sql.timestamptz,
  durationMs: sql.integer,
  /** Null if there was no response. */
  statusCode: orNull(sql.smallint),
  failure: sql.text,
  excerpt: sql.text,
})
const attemptColumns = list(
  webhookAttempts.columns('', 'number', 'at', 'durationMs', 'statusCode', 'failure', 'excerpt'),
)
export type LoggedAttempt = RowOf<typeof attemptColumns>

export async function listAttempts(tx: Tx, endpointId: string, eventId: string): Promise<LoggedAttempt[]> {
  return select(tx)`
    select ${attemptColumns} from webhook_attempts where endpoint_id = ${endpointId} and event_id = ${eventId} order by number`
}

/** Replays one delivery. Returns false if it does not exist. */
export async function replayOne(tx: Tx, endpointId: string, eventId: string, at: Date): Promise<boolean> {
  return executeOne(tx)`
    update webhook_deliveries set status = 'pending', tries = 0, next_attempt_at = ${at}
      where endpoint_id = ${endpointId} and event_id = ${eventId}`
}

/** Replays deliveries that failed permanently since the given time. Returns how many. */
export async function replayFailed(
  tx: Tx,
  endpointId: string,
  { since, limit }: { since: Date; limit: number },
  at: Date,
): Promise<number> {
  return execute(tx)`
    update webhook_deliveries set status = 'pending', tries = 0, next_attempt_at = ${at}
      where endpoint_id = ${endpointId} and event_id in (
        select event_id from webhook_deliveries where endpoint_id = ${endpointId} and status = 'failed'
          and created_at >= ${since} limit ${limit}
      )`
}
