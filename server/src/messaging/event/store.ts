import type { Db, Tx } from '../../base/db.ts'
import { list, queryRows, type RowOf, selectOne, selectValue, sql, textOf } from '../../base/sql.ts'
import { isOfType } from './catalogue.ts'

/** The columns of an event `o` of the outbox. */
export const eventFields = {
  id: sql.uuid`o.event_id`,
  type: sql.text`o.type`,
  objectId: sql.uuid`o.object_id`,
  sequence: sql.bigint`o.sequence`,
  data: sql.jsonObject`o.payload`,
  createdAt: sql.timestamptz`o.created_at`,
}
const eventColumns = list({ ...eventFields, txid: sql.text`o.txid::text`, number: sql.bigint`o.id` })
const selectEvents = `select ${textOf(eventColumns)}
  from ledger_outbox o
  where o.environment_id = $1 and (o.txid, o.id) > ($2::text::xid8, $3)
    and o.txid < pg_snapshot_xmin(pg_current_snapshot())
  order by o.txid, o.id limit $4`

/** An event as published to its merchant. */
export type PublishedEvent = Omit<RowOf<typeof eventColumns>, 'txid' | 'number'>

/** A position between events: after all events up to this transaction and number. */
export type Position = { readonly txid: string; readonly id: bigint }

export type EventAtPosition = PublishedEvent & { readonly position: Position }

/**
 * Lists the next events of an environment, except those that an open transaction could still precede: an event that took its number
 * early and is committed late would otherwise appear before a position that the reader has passed.
 */
export async function listEvents(
  tx: Tx,
  environmentId: string,
  after: Position,
  limit: number,
): Promise<EventAtPosition[]> {
  const values = [environmentId, after.txid, after.id, limit]
  const rows = await queryRows(tx, eventColumns, { name: 'events_after', text: selectEvents, values })
  return rows.map(toEventAtPosition)
}

const selectNewest = `select ${textOf(eventColumns)}
  from ledger_outbox o
  where o.environment_id = $1 and (o.txid, o.id) < ($2::text::xid8, $3)
  order by o.txid desc, o.id desc limit $4`

// Above every position.
const top: Position = { txid: '9223372036854775807', id: 9_223_372_036_854_775_807n }

type NewestEvents = {
  readonly events: EventAtPosition[]
  /** The position to read below for the next page, if there is one. */
  readonly next: Position | undefined
}

/** Lists the newest events, for people. Unlike a client that polls, they do not need every event exactly once. */
export async function listNewestEvents(
  tx: Tx,
  environmentId: string,
  before: Position | undefined,
  limit: number,
): Promise<NewestEvents> {
  const read = await readNewest(tx, environmentId, before, limit + 1)
  const events = read.slice(0, limit)
  return { events, next: read.length > limit ? events.at(-1)?.position : undefined }
}

/** The same of some types. A page can be short, or empty, and still have a next one. */
export async function listNewestOfType(
  tx: Tx,
  environmentId: string,
  before: Position | undefined,
  limit: number,
  type: string,
): Promise<NewestEvents> {
  const read = await readNewest(tx, environmentId, before, scanMax)
  const found = read.filter((one) => isOfType(one.type, type))
  const events = found.slice(0, limit)
  const last = found.length > limit ? events.at(-1) : read.length === scanMax ? read.at(-1) : undefined
  return { events, next: last?.position }
}

async function readNewest(
  tx: Tx,
  environmentId: string,
  { txid, id }: Position = top,
  limit: number,
): Promise<EventAtPosition[]> {
  const values = [environmentId, txid, id, limit]
  const rows = await queryRows(tx, eventColumns, { name: 'events_before', text: selectNewest, values })
  return rows.map(toEventAtPosition)
}

/** The event at a position, if it is one of this environment. */
export async function findEvent(
  tx: Tx,
  environmentId: string,
  { txid, id }: Position,
): Promise<EventAtPosition | undefined> {
  const row = await selectOne(tx)`
    select ${eventColumns} from ledger_outbox o
      where o.environment_id = ${environmentId} and o.txid = ${txid}::text::xid8 and o.id = ${id}`
  return row && toEventAtPosition(row)
}

function toEventAtPosition({ txid, number, ...event }: RowOf<typeof eventColumns>): EventAtPosition {
  return { ...event, position: { txid, id: number } }
}

type EventsOfType = {
  readonly events: EventAtPosition[]
  /** The position after the last event that was read, of any type. */
  readonly last: Position
  readonly hasMore: boolean
}

/** Events that a filter reads per page, so that a rare type costs no more than a frequent one. */
const scanMax = 1_000

/** Lists the next events of some types. A page can be short, or empty, and still have a next one. */
export async function listEventsOfType(
  tx: Tx,
  environmentId: string,
  after: Position,
  limit: number,
  type: string,
): Promise<EventsOfType> {
  // One statement: a second one could see events that the first had to hold back.
  const scanned = await listEvents(tx, environmentId, after, scanMax)
  const found = scanned.filter((one) => isOfType(one.type, type))
  const events = found.slice(0, limit)
  const isCut = found.length > limit
  const last = (isCut ? events : scanned).at(-1)?.position ?? after
  return { events, last, hasMore: isCut || scanned.length === scanMax }
}

/** Whether a position is ahead of every transaction of this PostgreSQL, because it is from before a restore. */
export async function isAhead(db: Db, { txid }: Position): Promise<boolean> {
  const found = await selectValue(db)`
    select ${sql.boolean`${txid}::text::xid8 > pg_snapshot_xmax(pg_current_snapshot())`}`
  return found === true
}

/** Deletes events older than 30 days, oldest first. Returns how many. */
export async function forgetEvents(db: Db, at: Date, limit: number): Promise<number> {
  const found = await selectValue(db)`select ${sql.integer`forget_events(${at}, ${limit})`}`
  return found ?? 0
}

/** The position after all events that can be read now. */
export async function readPlaceOfNow(db: Db): Promise<Position> {
  const found = await selectValue(db)`select ${sql.text`pg_snapshot_xmin(pg_current_snapshot())::text`}`
  return { txid: found ?? '0', id: 0n }
}

const happeningColumns = list({
  txid: sql.text`txid::text`,
  number: sql.bigint`number`,
  environmentId: sql.uuid`environment_id`,
  objectId: sql.uuid`object_id`,
})
const selectHappenings = `select ${textOf(happeningColumns)} from events_after($1::text::xid8, $2, $3)`
export type Happening = Pick<RowOf<typeof happeningColumns>, 'environmentId' | 'objectId'> & {
  readonly position: Position
}

/** Returns the environments and objects of the next events, across all environments. */
export async function readEventsAfter(db: Db, after: Position, limit: number): Promise<Happening[]> {
  const values = [after.txid, after.id, limit]
  const rows = await queryRows(db, happeningColumns, { name: 'live_events', text: selectHappenings, values })
  return rows.map(({ txid, number, ...of }) => ({ ...of, position: { txid, id: number } }))
}
