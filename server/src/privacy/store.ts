import type { Db, Pool, Tx } from '../base/db.ts'
import { orNull } from '../base/column-type.ts'
import { list, type RowOf, select, selectValue, sql } from '../base/sql.ts'

/** Starts to erase a user. Returns the code of the error that prevents it, or an empty text. */
export async function startUser(db: Db, id: string, userId: string, at: Date): Promise<string> {
  return (await selectValue(db)`select ${sql.text`erase_user(${id}, ${userId}, ${at})`}`) ?? ''
}

/** Starts to erase a customer of the transaction's environment. */
export async function startCustomer(tx: Tx, id: string, customerId: string, at: Date): Promise<string> {
  return (await selectValue(tx)`select ${sql.text`erase_customer(${id}, ${customerId}, ${at})`}`) ?? ''
}

/** Starts to erase an address everywhere, as the operator. */
export async function startAddress(
  db: Db,
  id: string,
  { address, digest }: { readonly address: string; readonly digest: Buffer },
  at: Date,
): Promise<string> {
  return (await selectValue(db)`select ${sql.text`erase_address(${id}, ${address}, ${digest}, ${at})`}`) ?? ''
}

export async function findBlocker(db: Db, userId: string): Promise<string> {
  return (await selectValue(db)`select ${sql.text`what_blocks_erasure(${userId})`}`) ?? ''
}

export async function findAddressBlocker(db: Db, address: string): Promise<string> {
  return (await selectValue(db)`select ${sql.text`what_blocks_address(${address}, null)`}`) ?? ''
}

export async function findUnfinished(db: Db): Promise<string | undefined> {
  return selectValue(db)`select ${sql.uuid`id`} from next_erasure() id where id is not null`
}

/** Erases one page in a transaction of its own. Returns whether there is more. */
export async function erasePage(pool: Pool, id: string, at: Date, rowsMax: number): Promise<boolean> {
  return (await selectValue(pool)`select ${sql.boolean`erase_page(${id}, ${at}, ${rowsMax})`}`) ?? false
}

const erasureColumns = list({
  kind: sql.text`kind`,
  environmentId: orNull(sql.uuid)`environment_id`,
  subjectId: orNull(sql.uuid)`subject_id`,
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

/** Erases the senders of invoices that were decided before this time. Returns how many. */
export async function forgetInvoiceSenders(db: Db, decidedBefore: Date, invoicesMax: number): Promise<number> {
  const forgotten = await selectValue(db)`
    select ${sql.integer`forget_invoice_senders(${decidedBefore}, ${invoicesMax})`}`
  return forgotten ?? 0
}

const sectionColumns = list({ section: sql.text`section`, content: sql.json`content` })

/** What is stored about a user. */
export async function selectUserData(db: Db, userId: string): Promise<RowOf<typeof sectionColumns>[]> {
  return select(db)`select ${sectionColumns} from personal_data_of_user(${userId})`
}

/** What is stored about an address, in the transaction's environment only or, for the operator, everywhere. */
export async function selectAddressData(
  db: Db,
  address: string,
  where: 'own' | 'everywhere',
): Promise<RowOf<typeof sectionColumns>[]> {
  return where === 'own'
    ? select(db)`select ${sectionColumns} from personal_data_of_customer(${address})`
    : select(db)`select ${sectionColumns} from personal_data_of_address(${address}, null)`
}
