import { oneOf } from '../../base/column-type.ts'
import { type Db, inTransaction, type Pool, type Tx } from '../../base/db.ts'
import { modes } from '../../base/mode.ts'
import { list, raw, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { defineTable } from '../../base/table.ts'
import { plainColumns } from '../../ledger/document.ts'
import type { Entry } from './entry.ts'
import { integrationSteps } from './wire.ts'

type IntegrationStep = (typeof integrationSteps)[number]

const requestLog = defineTable('request_log', {
  environmentId: sql.uuid,
  id: sql.uuid,
  keyId: sql.uuid,
  method: sql.text,
  route: sql.text,
  status: sql.smallint,
  errorCode: sql.text,
  durationMs: sql.integer,
  address: sql.text,
  reference: sql.text,
  requestBody: sql.text,
  responseBody: sql.text,
  createdAt: sql.timestamptz,
})

/** Writes entries of any environments. No commit waits for the disk: a crash loses the last moments of a log, and no payment. */
export async function writeEntries(pool: Pool, entries: readonly Entry[]): Promise<void> {
  const [environments, ids, keys, statuses, durations, times] = plainColumns(
    entries,
    ...(['environmentId', 'id', 'keyId', 'status', 'durationMs', 'at'] as const),
  )
  const texts = (name: keyof Entry): string[] => entries.map((entry) => String(entry[name]))
  await inTransaction(pool, async (tx) => {
    await tx.query('set local synchronous_commit = off')
    await tx.query({
      name: 'request_log',
      text: 'select write_request_log($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
      values: [
        ...[environments, ids, keys, texts('method'), texts('route'), statuses, texts('errorCode'), durations],
        ...[texts('address'), texts('reference'), texts('requestBody'), texts('responseBody'), times],
      ],
    })
  })
}

const listedColumns = list({
  ...requestLog.columns('r', 'id', 'method', 'route', 'status', 'errorCode', 'durationMs', 'reference', 'keyId'),
  ...requestLog.columns('r', 'createdAt'),
  keyName: sql.text`coalesce(k.name, '')`,
})
export type ListedRequest = RowOf<typeof listedColumns>

export const statusClasses = ['ok', 'refused', 'failed'] as const
type StatusClass = (typeof statusClasses)[number]

export type RequestFilter = {
  readonly status?: StatusClass | undefined
  readonly route?: string | undefined
  readonly keyId?: string | undefined
  readonly reference?: string | undefined
  readonly id?: string | undefined
}

type Place = { readonly before: string; readonly at: Date }

// Requests that a filter reads per page.
const scanMax = 2_000

/** Newest first, of the last seven days. A short or empty page can still have a next one. */
export async function findRequests(
  tx: Tx,
  environmentId: string,
  filter: RequestFilter,
  place: Place,
  limit: number,
): Promise<{ requests: ListedRequest[]; next: string }> {
  const { status, route, keyId, reference, id } = filter
  const isScan = status !== undefined || route !== undefined || keyId !== undefined
  // One request more than a page tells whether there is a next page.
  const scan = isScan ? Math.max(scanMax, limit + 1) : limit + 1
  // Each of these conditions has an index.
  const conditions = sql`
    ${status === undefined || status === 'ok' ? raw('true') : raw('r.status >= 400')}
      and ${reference === undefined ? raw('true') : sql`r.reference = ${reference} and r.reference <> ''`}
      and ${id === undefined ? raw('true') : sql`r.id = ${id}`}`
  const read = await select(tx)`
    select ${listedColumns}
      from request_log r left join merchant_keys k on k.id = r.key_id
      where r.environment_id = ${environmentId} and r.id < ${place.before} and ${isRecent(place.at)} and ${conditions}
      order by r.id desc limit ${scan}`
  const wanted = read.filter(
    (one) =>
      (status === undefined || classOf(one) === status) &&
      (route === undefined || one.route === route) &&
      (keyId === undefined || one.keyId === keyId),
  )
  const requests = wanted.slice(0, limit)
  const last = wanted.length > limit ? requests.at(-1) : read.length === scan ? read.at(-1) : undefined
  return { requests, next: last?.id ?? '' }
}

/** The day part of older rows may still be there. */
function isRecent(at: Date): ReturnType<typeof sql> {
  return sql`r.id >= first_id_at(${at}::timestamptz - interval '7 days')`
}

function classOf({ status }: Pick<ListedRequest, 'status'>): StatusClass {
  if (status < 400) return 'ok'
  return status < 500 ? 'refused' : 'failed'
}

const detailColumns = list({
  ...requestLog.columns('r', 'id', 'method', 'route', 'status', 'errorCode', 'durationMs', 'reference', 'keyId'),
  ...requestLog.columns('r', 'createdAt', 'address', 'requestBody', 'responseBody'),
  keyName: sql.text`coalesce(k.name, '')`,
  key: sql.text`coalesce(k.shown, '')`,
})
export type LoggedRequest = RowOf<typeof detailColumns>

export async function findRequest(
  tx: Tx,
  environmentId: string,
  id: string,
  at: Date,
): Promise<LoggedRequest | undefined> {
  return selectOne(tx)`
    select ${detailColumns} from request_log r left join merchant_keys k on k.id = r.key_id
      where r.environment_id = ${environmentId} and r.id = ${id} and ${isRecent(at)}`
}

// A worker may be stopped for as many days.
const daysAhead = 3

/** Adds the parts of the next days and removes old requests. Returns whether there is more to remove. */
export async function keepRequestLog(db: Db, at: Date, rowsMax: number): Promise<boolean> {
  const deleted = await selectValue(db)`select ${sql.integer`keep_request_log(${at}, ${daysAhead}, ${rowsMax})`}`
  return deleted === rowsMax
}

const factColumns = list({
  mode: oneOf(modes)`mode`,
  hasKey: sql.boolean`has_key`,
  hasRedeemed: sql.boolean`has_redeemed`,
  hasEndpoint: sql.boolean`has_endpoint`,
  hasDelivered: sql.boolean`has_delivered`,
})
type Facts = RowOf<typeof factColumns>

/** Which steps of its integration a merchant has done, in test and in live mode. */
export async function readIntegrationSteps(db: Db, merchantId: string, at: Date): Promise<Set<IntegrationStep>> {
  const rows = await select(db)`select ${factColumns} from integration_facts(${merchantId}, ${at})`
  const isDone = (mode: Facts['mode'], fact: Exclude<keyof Facts, 'mode'>): boolean =>
    rows.some((row) => row.mode === mode && row[fact])
  const done: Record<IntegrationStep, boolean> = {
    test_key: isDone('test', 'hasKey'),
    test_redemption: isDone('test', 'hasRedeemed'),
    test_endpoint: isDone('test', 'hasEndpoint'),
    test_delivery: isDone('test', 'hasDelivered'),
    live_key: isDone('live', 'hasKey'),
    live_endpoint: isDone('live', 'hasEndpoint'),
    live_redemption: isDone('live', 'hasRedeemed'),
  }
  return new Set(integrationSteps.filter((step) => done[step]))
}
