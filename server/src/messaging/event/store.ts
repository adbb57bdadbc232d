import type { Db, Tx } from '../../base/db.ts'
import { list, queryRows, type RowOf, selectValue, sql, textOf } from '../../base/sql.ts'

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
  return rows.map(({ txid, number, ...event }) => ({ ...event, position: { txid, id: number } }))
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
  const isWanted = (one: PublishedEvent): boolean =>
    type.endsWith('.*') ? one.type.startsWith(type.slice(0, -1)) : one.type === type
  const found = scanned.filter(isWanted)
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
