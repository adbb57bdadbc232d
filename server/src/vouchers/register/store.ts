import { orNull, withDefault } from '../../base/column-type.ts'
import type { Db, Tx } from '../../base/db.ts'
import { execute, executeOne, list, type RowOf, select, selectOne, sql } from '../../base/sql.ts'
import { defineTable, insertInto, type NewRow } from '../../base/table.ts'

const locations = defineTable('locations', {
  id: sql.uuid,
  merchantId: sql.uuid,
  name: sql.text,
  address: sql.text,
  createdAt: sql.timestamptz,
  closedAt: withDefault(orNull(sql.timestamptz)),
})

const registers = defineTable('registers', {
  id: sql.uuid,
  locationId: sql.uuid,
  name: sql.text,
  createdAt: sql.timestamptz,
  closedAt: withDefault(orNull(sql.timestamptz)),
})

const locationColumns = list(locations.columns('l', 'id', 'name', 'address'))
export type Location = RowOf<typeof locationColumns>

const registerColumns = list({
  ...registers.columns('r', 'id', 'name', 'locationId'),
  location: sql.text`l.name`,
  address: sql.text`l.address`,
})
export type Register = RowOf<typeof registerColumns>

const openRegisters = sql`
  select ${registerColumns} from registers r
    join locations l on l.id = r.location_id and l.closed_at is null and r.closed_at is null`

/** The open locations of a merchant, by name. */
export async function listLocations(db: Db, merchantId: string): Promise<Location[]> {
  return select(db)`
    select ${locationColumns} from locations l where l.merchant_id = ${merchantId} and l.closed_at is null
      order by lower(l.name)`
}

/** The open registers of a merchant, by name. */
export async function listRegisters(db: Db, merchantId: string): Promise<Register[]> {
  return select(db)`${openRegisters} where l.merchant_id = ${merchantId} order by lower(r.name)`
}

export async function findRegister(tx: Tx, merchantId: string, id: string): Promise<Register | undefined> {
  return selectOne(tx)`${openRegisters} where r.id = ${id} and l.merchant_id = ${merchantId}`
}

/** An open register of the merchant, locked against being closed until the transaction ends. */
export async function lockRegister(tx: Tx, merchantId: string, id: string): Promise<Register | undefined> {
  return selectOne(tx)`${openRegisters} where r.id = ${id} and l.merchant_id = ${merchantId} for share of r, l`
}

export async function insertLocation(db: Db, location: NewRow<typeof locations>): Promise<void> {
  await execute(db)`${insertInto(locations, location)}`
}

/** Returns false if the merchant has no such location. */
export async function saveLocation(
  db: Db,
  merchantId: string,
  { id, name, address }: Pick<Location, 'id' | 'name' | 'address'>,
): Promise<boolean> {
  return executeOne(db)`
    update locations set name = ${name}, address = ${address}
      where id = ${id} and merchant_id = ${merchantId} and closed_at is null`
}

/** Inserts a register, unless the merchant has no such location. Returns whether it did. */
export async function insertRegister(
  db: Db,
  merchantId: string,
  { id, locationId, name, createdAt }: NewRow<typeof registers>,
): Promise<boolean> {
  return executeOne(db)`
    insert into registers (id, location_id, name, created_at)
      select ${id}, l.id, ${name}, ${createdAt} from locations l
      where l.id = ${locationId} and l.merchant_id = ${merchantId} and l.closed_at is null for share`
}

/** Locks a location of the merchant. Returns whether there is one. */
export async function lockLocation(tx: Tx, merchantId: string, id: string): Promise<boolean> {
  return executeOne(tx)`
    select from locations where id = ${id} and merchant_id = ${merchantId} and closed_at is null for update`
}

export async function closeLocation(tx: Tx, id: string, at: Date): Promise<void> {
  await execute(tx)`update registers set closed_at = ${at} where location_id = ${id} and closed_at is null`
  await execute(tx)`update locations set closed_at = ${at} where id = ${id}`
}

/** Locks a register of the merchant. Returns whether there is one. */
export async function lockForClosing(tx: Tx, merchantId: string, id: string): Promise<boolean> {
  return executeOne(tx)`
    select from registers r where r.id = ${id} and r.closed_at is null
      and exists (select from locations l where l.id = r.location_id and l.merchant_id = ${merchantId})
      for update of r`
}

export async function closeRegister(tx: Tx, id: string, at: Date): Promise<void> {
  await execute(tx)`update registers set closed_at = ${at} where id = ${id}`
}
