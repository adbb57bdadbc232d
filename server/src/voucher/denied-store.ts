import type { Db } from '../base/db.ts'
import { execute, executeOne, select } from '../base/sql.ts'

type DeniedAddress = { readonly address: string; readonly reason: string; readonly deniedAt: Date }

/** Denies payments to an address, in lower case. Returns false if it is denied already. */
export async function denyAddress(db: Db, { address, reason, deniedAt }: DeniedAddress): Promise<boolean> {
  const added = await execute(db)`
    insert into denied_addresses (address, reason, denied_at) values (${address}, ${reason}, ${deniedAt})
      on conflict do nothing`
  return added === 1
}

/** Returns false if the address was not denied. */
export async function allowAddress(db: Db, address: string): Promise<boolean> {
  return executeOne(db)`delete from denied_addresses where address = ${address}`
}

export async function listDeniedAddresses(db: Db): Promise<DeniedAddress[]> {
  return select<DeniedAddress>(db)`
    select address, reason, denied_at as "deniedAt" from denied_addresses order by denied_at, address`
}
