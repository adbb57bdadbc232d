import type { Db, Pool } from '../base/db.ts'
import { oneOf, orNull } from '../base/column-type.ts'
import { list, type RowOf, select, selectValue, sql } from '../base/sql.ts'

/** Starts to erase a user. Returns the code of the error that prevents it, or an empty text. */
export async function startUser(db: Db, id: string, userId: string, at: Date): Promise<string> {
  return (await selectValue(db)`select ${sql.text`erase_user(${id}, ${userId}, ${at})`}`) ?? ''
}

/** Starts to erase an address everywhere. */
export async function startAddress(
  db: Db,
  id: string,
  { address, digest }: { readonly address: string; readonly digest: Buffer },
  at: Date,
): Promise<string> {
  return (await selectValue(db)`select ${sql.text`erase_address(${id}, ${address}, ${digest}, ${at})`}`) ?? ''
}

export async function listUnfinished(db: Db): Promise<string[]> {
  const rows = await select(db)`select ${list({ id: sql.uuid`id` })} from unfinished_erasures() id`
  return rows.map(({ id }) => id)
}

const pageResults = ['more', 'done', 'busy'] as const

/** Erases one page in a transaction of its own. Busy: another process erases the same. */
export async function erasePage(
  pool: Pool,
  id: string,
  at: Date,
  rowsMax: number,
): Promise<(typeof pageResults)[number]> {
  const result = await selectValue(pool)`select ${oneOf(pageResults)`erase_page(${id}, ${at}, ${rowsMax})`}`
  return result ?? 'done'
}

const erasureColumns = list({
  id: sql.uuid`id`,
  kind: sql.text`kind`,
  userId: orNull(sql.uuid)`user_id`,
  digest: orNull(sql.text)`digest`,
  isFinished: sql.boolean`is_finished`,
})
export type Erasure = RowOf<typeof erasureColumns>

export async function listErasures(db: Db): Promise<Erasure[]> {
  return select(db)`select ${erasureColumns} from list_erasures()`
}

export async function listAddresses(db: Db): Promise<string[]> {
  const rows = await select(db)`select ${list({ address: sql.text`address` })} from stored_addresses() address`
  return rows.map(({ address }) => address)
}

/** The users of all realms with this address. */
export async function findUserIds(db: Db, address: string): Promise<string[]> {
  const rows = await select(db)`select ${list({ id: sql.uuid`id` })} from users where email = ${address} order by id`
  return rows.map(({ id }) => id)
}

/** Erases the senders of invoices that were decided before this time, and at least five years ago. Returns how many. */
export async function eraseInvoiceSenders(db: Db, decidedBefore: Date, invoicesMax: number): Promise<number> {
  const erased = await selectValue(db)`
    select ${sql.integer`erase_invoice_senders(${decidedBefore}, ${invoicesMax})`}`
  return erased ?? 0
}

const sectionColumns = list({ section: sql.text`section`, content: sql.json`content` })

/** What is stored about a user. */
export async function selectUserData(db: Db, userId: string): Promise<RowOf<typeof sectionColumns>[]> {
  return select(db)`select ${sectionColumns} from personal_data_of_user(${userId})`
}

/** What merchants store about an address. */
export async function selectAddressData(db: Db, address: string): Promise<RowOf<typeof sectionColumns>[]> {
  return select(db)`select ${sectionColumns} from personal_data_of_address(${address})`
}
