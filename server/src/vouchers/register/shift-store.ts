import { orNull, withDefault } from '../../base/column-type.ts'
import type { Tx } from '../../base/db.ts'
import { execute, list, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { defineTable, insertInto, type NewRow } from '../../base/table.ts'
import { ledgerBooks } from '../../ledger/book.ts'

const shifts = defineTable('shifts', {
  environmentId: sql.uuid,
  id: sql.uuid,
  registerId: sql.uuid,
  /** The currency of the drawer. */
  bookId: sql.smallint,
  openingFloat: sql.numeric,
  openedBy: sql.uuid,
  openedAt: sql.timestamptz,
  closedBy: withDefault(orNull(sql.uuid)),
  closedAt: withDefault(orNull(sql.timestamptz)),
  /** What should be in the drawer, when it is closed. */
  expected: withDefault(orNull(sql.numeric)),
  counted: withDefault(orNull(sql.numeric)),
  note: withDefault(sql.text),
})
export type NewShift = NewRow<typeof shifts>

const shiftColumns = list({
  ...shifts.columns('s'),
  ...ledgerBooks.columns('b', 'currency'),
  register: sql.text`r.name`,
  location: sql.text`l.name`,
  openedByName: sql.text`(select trim(u.other_names || ' ' || u.surname) from users u where u.id = s.opened_by)`,
  closedByName: sql.text`coalesce(
    (select trim(u.other_names || ' ' || u.surname) from users u where u.id = s.closed_by), '')`,
})
export type Shift = RowOf<typeof shiftColumns>

const foundShifts = sql`
  select ${shiftColumns} from shifts s join ledger_books b on b.id = s.book_id
    join registers r on r.id = s.register_id join locations l on l.id = r.location_id`

export async function insertShift(tx: Tx, shift: NewShift): Promise<void> {
  await execute(tx)`${insertInto(shifts, shift)}`
}

export async function findShift(tx: Tx, environmentId: string, id: string): Promise<Shift | undefined> {
  return selectOne(tx)`${foundShifts} where s.environment_id = ${environmentId} and s.id = ${id}`
}

/** The open shift of a register. */
export async function findOpenShift(tx: Tx, environmentId: string, registerId: string): Promise<Shift | undefined> {
  return selectOne(tx)`
    ${foundShifts} where s.environment_id = ${environmentId} and s.register_id = ${registerId} and s.closed_at is null`
}

/** Keeps a shift from being closed until the transaction ends. Returns false if it was closed meanwhile. */
export async function keepOpen(tx: Tx, { environmentId, id }: Shift): Promise<boolean> {
  const rows = await execute(tx)`
    select from shifts where environment_id = ${environmentId} and id = ${id} and closed_at is null for share`
  return rows === 1
}

/** Locks a shift, so that no sale is counted in it while it is closed. */
export async function lockShift(tx: Tx, environmentId: string, id: string): Promise<Shift | undefined> {
  await execute(tx)`select from shifts where environment_id = ${environmentId} and id = ${id} for update`
  return findShift(tx, environmentId, id)
}

/** Whether a shift is open on the register, or on one of the location. */
export async function hasOpenShift(tx: Tx, environmentId: string, placeId: string): Promise<boolean> {
  const found = await selectValue(tx)`
    select ${sql.boolean`exists (
      select from shifts s join registers r on r.id = s.register_id
      where s.environment_id = ${environmentId} and s.closed_at is null and ${placeId}::uuid in (r.id, r.location_id))`}`
  return found === true
}

/** What the sales of a shift brought into its drawer. */
export async function sumCash(tx: Tx, { environmentId, id }: Shift): Promise<bigint> {
  const found = await selectValue(tx)`
    select ${sql.numeric`coalesce(sum(case when kind in ('sale', 'reload') then price else -price end), 0)`}
      from voucher_sales where environment_id = ${environmentId} and shift_id = ${id} and tender = 'cash'`
  return found ?? 0n
}

export async function saveClosed(
  tx: Tx,
  { environmentId, id }: Shift,
  closed: Pick<NewShift, 'closedBy' | 'closedAt' | 'expected' | 'counted' | 'note'>,
): Promise<void> {
  await execute(tx)`
    update shifts set closed_by = ${closed.closedBy}, closed_at = ${closed.closedAt}, expected = ${closed.expected},
      counted = ${closed.counted}, note = ${closed.note}
      where environment_id = ${environmentId} and id = ${id}`
}

/** Shifts that were open in a range of time, oldest first. */
export async function listShifts(tx: Tx, environmentId: string, from: Date, until: Date): Promise<Shift[]> {
  return select(tx)`
    ${foundShifts} where s.environment_id = ${environmentId} and s.opened_at < ${until}
      and (s.closed_at is null or s.closed_at >= ${from}) order by s.opened_at`
}
