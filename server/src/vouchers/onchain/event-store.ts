import type { Db, Tx } from '../../base/db.ts'
import { orNull, withDefault } from '../../base/column-type.ts'
import { execute, executeOne, list, type RowOf, select, selectValue, sql } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import { vaultEvents } from '../../chain/vault-store.ts'

const vaultBookings = defineTable('vault_bookings', {
  journalId: sql.uuid,
  eventId: sql.uuid,
  undoneBy: withDefault(orNull(sql.uuid)),
})

const eventColumns = list({
  ...vaultEvents.columns('e', 'id', 'networkId', 'vault', 'txHash', 'logIndex', 'kind', 'codeHash', 'amount', 'fee'),
  ...vaultEvents.columns('e', 'recipient', 'feeRecipient', 'blockNumber', 'bookings'),
  /** The journal that booked it, while it is booked. */
  bookedBy: orNull(sql.uuid)`k.journal_id`,
  network: sql.text`n.abbreviation`,
  refHash: vaultEvents.types.reference`e.reference`,
  nonce: sql.integer`e.nonce::integer`,
})
/** A log of a vault about a voucher of ours. */
export type VaultEvent = RowOf<typeof eventColumns>

const events = sql`select ${eventColumns} from vault_events e join networks n on n.id = e.network_id
  left join vault_bookings k on k.event_id = e.id and k.undone_by is null`

/** Final events that are not booked, in the order of their network. */
export async function listUnbooked(db: Db, resting: readonly string[], limit: number): Promise<VaultEvent[]> {
  return select(db)`
    ${events} join chain_finality f on f.network_id = e.network_id
      where e.booked_at is null and e.gone_at is null and e.block_number <= f.number and e.id <> all(${resting}::uuid[])
      order by e.block_number, e.log_index limit ${limit}`
}

/**
 * Booked events that their network undid before `before` and has not carried out again. One is undone at once if its network has carried
 * out something else with the voucher. Of a voucher, the last one first.
 */
export async function listUndone(
  db: Db,
  before: Date,
  resting: readonly string[],
  limit: number,
): Promise<VaultEvent[]> {
  return select(db)`
    ${events} join chain_finality f on f.network_id = e.network_id
      where e.booked_at is not null and e.gone_at is not null and e.id <> all(${resting}::uuid[])
        and (e.gone_at < ${before} or exists (select from vault_events o where o.network_id = e.network_id and o.vault = e.vault
          and o.code_hash = e.code_hash and o.booked_at is null and o.gone_at is null and o.block_number <= f.number))
        and not exists (select from vault_events o where o.network_id = e.network_id and o.vault = e.vault
          and o.code_hash = e.code_hash and o.booked_at is not null and o.gone_at is not null
          and (o.block_number, o.log_index) > (e.block_number, e.log_index))
      order by e.block_number desc limit ${limit}`
}

/** Returns how often the event has been booked, with this time; undefined if it is booked already or gone. */
export async function markBooked(tx: Tx, id: string, journalId: string, at: Date): Promise<number | undefined> {
  const bookings = await selectValue(tx)`
    update vault_events set booked_at = ${at}, bookings = bookings + 1
      where id = ${id} and booked_at is null and gone_at is null returning ${vaultEvents.types.bookings`bookings`}`
  if (bookings !== undefined) await execute(tx)`${insertInto(vaultBookings, { journalId, eventId: id })}`
  return bookings
}

/** Returns false if the event is back, or not booked any more. */
export async function markUndone(tx: Tx, id: string, journalId: string): Promise<boolean> {
  const isUndone = await executeOne(tx)`
    update vault_events set booked_at = null where id = ${id} and booked_at is not null and gone_at is not null`
  if (isUndone)
    await execute(tx)`update vault_bookings set undone_by = ${journalId} where event_id = ${id} and undone_by is null`
  return isUndone
}

/** Whether an earlier event of the same voucher waits to be booked, or any to be undone. */
export async function hasUnsettled(
  tx: Tx,
  { id, networkId, vault, codeHash, blockNumber, logIndex }: VaultEvent,
): Promise<boolean> {
  const found = await selectValue(tx)`
    select ${sql.boolean`exists (select from vault_events
      where network_id = ${networkId} and vault = ${vault} and code_hash = ${codeHash}
      and id <> ${id} and (booked_at is not null and gone_at is not null
        or booked_at is null and gone_at is null and (block_number, log_index) < (${blockNumber}, ${logIndex})))`}`
  return found === true
}
