import type { Db, Tx } from '../base/db.ts'
import { selectValue } from '../base/sql.ts'
import type { NumberedEvent } from '../ledger/decide.ts'

/** An event as its merchant sees it. */
export type ToldEvent = Omit<NumberedEvent, 'environmentId' | 'about'> & { readonly createdAt: Date }

/** A place between events: after everything up to this transaction and number. */
export type Position = { readonly txid: string; readonly id: bigint }

/**
 * The next events of an environment. Only those that no open transaction can still precede: one that took its number early and commits
 * late would otherwise appear behind a place that its reader has passed.
 */
export async function listEvents(tx: Tx, environmentId: string, after: Position, limit: number) {
  const { rows } = await tx.query<ToldEvent & { txid: string; number: bigint }>({
    name: 'events_after',
    text: `select o.event_id as id, o.type, o.object_id as "objectId", o.sequence, o.payload as data,
        o.created_at as "createdAt", o.txid::text as txid, o.id as number
      from ledger_outbox o
      where o.environment_id = $1 and (o.txid, o.id) > ($2::text::xid8, $3)
        and o.txid < pg_snapshot_xmin(pg_current_snapshot())
      order by o.txid, o.id limit $4`,
    values: [environmentId, after.txid, after.id, limit],
  })
  return rows.map(({ txid, number, ...event }) => ({ ...event, position: { txid, id: number } }))
}

/** Whether a place is ahead of every transaction that this PostgreSQL has had: it is of another one, from before a restore. */
export async function isAhead(db: Db, { txid }: Position): Promise<boolean> {
  const found = await selectValue<boolean>(db)`
    select ${txid}::text::xid8 > pg_snapshot_xmax(pg_current_snapshot()) as "isAhead"`
  return found === true
}

/** Drops events older than thirty days, the oldest first. Says how many. */
export async function forgetEvents(db: Db, at: Date, limit: number): Promise<number> {
  const found = await selectValue<number>(db)`select forget_events(${at}, ${limit}) as forgotten`
  return found ?? 0
}

/** The place after everything that can be read by now. */
export async function readPlaceOfNow(db: Db): Promise<Position> {
  const found = await selectValue<string>(db)`select pg_snapshot_xmin(pg_current_snapshot())::text as txid`
  return { txid: found ?? '0', id: 0n }
}

export type Happening = { readonly environmentId: string; readonly objectId: string; readonly position: Position }

/** Whose and about what the next events are, whoever's they are. */
export async function readEventsAfter(db: Db, after: Position, limit: number): Promise<Happening[]> {
  const { rows } = await db.query<{ txid: string; number: bigint; environmentId: string; objectId: string }>({
    name: 'live_events',
    text: `select txid::text as txid, number, environment_id as "environmentId", object_id as "objectId"
      from events_after($1::text::xid8, $2, $3)`,
    values: [after.txid, after.id, limit],
  })
  return rows.map(({ txid, number, ...of }) => ({ ...of, position: { txid, id: number } }))
}
