import type { Db } from '../../base/db.ts'
import { executeOne, list, type RowOf, select, sql } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'

const deniedAddresses = defineTable('denied_addresses', {
  address: sql.text,
  reason: sql.text,
  deniedAt: sql.timestamptz,
})
const deniedColumns = list(deniedAddresses.columns())
type DeniedAddress = RowOf<typeof deniedColumns>

/** Denies payments to an address, in lower case. Returns false if it is denied already. */
export async function denyAddress(db: Db, denied: DeniedAddress): Promise<boolean> {
  return executeOne(db)`${insertInto(deniedAddresses, denied)} on conflict do nothing`
}

/** Returns false if the address was not denied. */
export async function allowAddress(db: Db, address: string): Promise<boolean> {
  return executeOne(db)`delete from denied_addresses where address = ${address}`
}

export async function listDeniedAddresses(db: Db): Promise<DeniedAddress[]> {
  return select(db)`select ${deniedColumns} from denied_addresses order by denied_at, address`
}
