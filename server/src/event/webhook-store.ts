import type { Db, Pool, Tx } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import type { Sealed } from '../base/seal.ts'
import { execute, executeOne, raw, select, selectValue } from '../base/sql.ts'
import { plainColumns } from '../ledger/document.ts'
import type { Mode } from '../ledger/book.ts'
import type { Attempt } from './send.ts'
import type { PublishedEvent } from './store.ts'

export type Endpoint = {
  readonly environmentId: string
  readonly id: string
  readonly mode: Mode
  readonly url: string
  readonly description: string
  readonly eventTypes: readonly string[]
  readonly secret: Sealed
  readonly oldSecret: (Sealed & { readonly until: Date }) | undefined
  readonly status: 'enabled' | 'disabled'
  readonly disabledReason: string
  readonly failingSince: Date | null
  readonly createdAt: Date
}

type EndpointRow = Omit<Endpoint, 'secret' | 'oldSecret'> & {
  keyId: number
  sealed: Buffer
  oldKeyId: number | null
  oldSealed: Buffer | null
  oldUntil: Date | null
}
const endpointColumns = `w.environment_id as "environmentId", w.id, e.mode, w.url, w.description, w.event_types as "eventTypes",
  w.key_id as "keyId", w.secret_sealed as sealed, w.old_key_id as "oldKeyId", w.old_secret_sealed as "oldSealed",
  w.old_secret_until as "oldUntil", w.status, w.disabled_reason as "disabledReason", w.failing_since as "failingSince",
  w.created_at as "createdAt"`
const endpoints = `webhook_endpoints w join merchant_environments e on e.id = w.environment_id`

function toEndpoint({ keyId, sealed, oldKeyId, oldSealed, oldUntil, ...row }: EndpointRow): Endpoint {
  const hasOld = oldKeyId !== null && oldSealed !== null && oldUntil !== null
  const oldSecret = hasOld ? { keyId: oldKeyId, sealed: oldSealed, until: oldUntil } : undefined
  return { ...row, secret: { keyId, sealed }, oldSecret }
}

export async function listEndpoints(tx: Tx): Promise<Endpoint[]> {
  const rows = await select<EndpointRow>(tx)`
    select ${raw(endpointColumns)} from ${raw(endpoints)} where w.status <> 'deleted' order by w.id`
  return rows.map(toEndpoint)
}

export async function findEndpoint(
  tx: Tx,
  id: string,
  lock: '' | 'for no key update of w' = '',
): Promise<Endpoint | undefined> {
  const rows = await select<EndpointRow>(tx)`
    select ${raw(endpointColumns)} from ${raw(endpoints)} where w.id = ${id} and w.status <> 'deleted' ${raw(lock)}`
  return rows.map(toEndpoint)[0]
}

type NewEndpoint = Pick<Endpoint, 'environmentId' | 'id' | 'url' | 'description' | 'eventTypes' | 'secret'>

export async function insertEndpoint(tx: Tx, endpoint: NewEndpoint, at: Date): Promise<void> {
  const { environmentId, id, url, description, eventTypes, secret } = endpoint
  await execute(tx)`
    insert into webhook_endpoints
        (environment_id, id, url, description, event_types, key_id, secret_sealed, status, created_at)
      values (${environmentId}, ${id}, ${url}, ${description}, ${eventTypes}, ${secret.keyId}, ${secret.sealed},
        'enabled', ${at})`
}

export type EndpointChange = Partial<Pick<Endpoint, 'url' | 'description' | 'eventTypes'>> & {
  readonly status?: 'enabled' | 'disabled' | 'deleted' | undefined
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
  const found = await selectValue<number>(tx)`
    update webhook_endpoints set version = version + 1 where id = ${id} returning version`
  return found ?? 0
}

/** Creates deliveries of the next events for the endpoints that subscribe to them. Returns the number of events. */
export async function fanOutEvents(db: Db, at: Date, limit: number): Promise<number> {
  const found = await selectValue<number>(db)`select fan_out_events(${at}, ${limit}) as seen`
  return found ?? 0
}

export type EndpointName = Pick<Endpoint, 'environmentId' | 'id'>

export async function findDueEndpoints(db: Db, at: Date): Promise<EndpointName[]> {
  return select<EndpointName>(db)`select environment_id as "environmentId", id from due_webhook_endpoints(${at})`
}

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
    const rows = await select<PublishedEvent & { attempts: number; tries: number }>(tx)`
      select o.event_id as id, o.type, o.object_id as "objectId", o.sequence, o.payload as data,
          o.created_at as "createdAt", d.attempts, d.tries
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
  readonly status: 'pending' | 'delivered' | 'failed'
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
  const found = await selectValue<string>(tx)`
    insert into webhook_deliveries
        (environment_id, endpoint_id, event_id, event_txid, event_number, status, next_attempt_at, created_at)
      select ${environmentId}, ${id}, o.event_id, o.txid, o.id, 'pending', ${at}, ${at} from ledger_outbox o
      where o.environment_id = ${environmentId} and o.txid = pg_current_xact_id() and o.object_id = ${id}
      returning event_id as "eventId"`
  return found ?? ''
}

export type Delivery = {
  /** The event id. */
  readonly id: string
  readonly type: string
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly nextAttemptAt: Date | null
  readonly createdAt: Date
}

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
  const { rows } = await tx.query<Delivery>(
    `select d.event_id as id, o.type, d.status, d.attempts, d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt"
      from webhook_deliveries d join ledger_outbox o on o.txid = d.event_txid and o.id = d.event_number
      where d.endpoint_id = $1 and d.event_id < $2 ${status === undefined ? '' : `and d.status = '${status}'`}
        ${eventId === undefined ? '' : 'and d.event_id = $4'}
      order by d.event_id desc limit $3`,
    [endpointId, before, limit, ...(eventId === undefined ? [] : [eventId])],
  )
  return rows
}

export type LoggedAttempt = Attempt & { readonly number: number; readonly at: Date }

export async function listAttempts(tx: Tx, endpointId: string, eventId: string): Promise<LoggedAttempt[]> {
  return select<LoggedAttempt>(tx)`
    select number, at, duration_ms as "durationMs", status_code as "statusCode", failure, excerpt
      from webhook_attempts where endpoint_id = ${endpointId} and event_id = ${eventId} order by number`
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
