import type { Db, Tx } from '../../base/db.ts'
import { execute, list, type RowOf, select, sql } from '../../base/sql.ts'
import { scannedIndex } from '../../chain/block.ts'
import { chainAddresses, chainPayments } from '../../chain/store.ts'

const addressColumns = list(chainAddresses.columns('', 'address', 'ownerId'))
export type OurAddress = RowOf<typeof addressColumns>

const wantedColumns = list({
  ...chainAddresses.columns('', 'address', 'ownerId', 'salt'),
  wantedAt: sql.timestamptz`wanted_at`,
})
type Wanted = RowOf<typeof wantedColumns>

/** Addresses that wait for a sweep, oldest first, locked until the transaction ends. */
export async function lockWanted(tx: Tx, networkId: string, at: Date, limit: number): Promise<Wanted[]> {
  return select(tx)`
    select ${wantedColumns} from chain_addresses
      where network_id = ${networkId} and wanted_at <= ${at} and send_id is null
      order by wanted_at limit ${limit} for no key update skip locked`
}

/** Which of these tokens the addresses ever received, in the order that the factory requires. */
export async function listMovedTokens(
  tx: Tx,
  addresses: readonly OurAddress[],
  known: readonly string[],
): Promise<string[]> {
  const rows = await select(tx)`
    select distinct ${list(chainPayments.columns('', 'token'))} from chain_payments
      where owner_id = any(${addresses.map(({ ownerId }) => ownerId)}::uuid[]) and gone_at is null
        and token = any(${known}) order by token`
  return rows.map(({ token }) => token)
}

export async function markTaken(
  tx: Tx,
  networkId: string,
  addresses: readonly OurAddress[],
  sendId: string,
): Promise<void> {
  await execute(tx)`
    update chain_addresses set send_id = ${sendId}
      where network_id = ${networkId} and address = any(${addresses.map(({ address }) => address)})`
}

const takenColumns = list(chainAddresses.columns('', 'address', 'ownerId', 'repeats'))
/** An address of a running sweep. */
export type Taken = RowOf<typeof takenColumns>

export async function listTaken(tx: Tx, sendId: string): Promise<Taken[]> {
  return select(tx)`
    select ${takenColumns} from chain_addresses where send_id = ${sendId}`
}

/** Releases the addresses of a sweep. Those with newer deposits, and those to retry, wait for another sweep. */
export async function markSwept(
  tx: Tx,
  sendId: string,
  askedAt: Date,
  retried: readonly OurAddress[],
  again: Date,
): Promise<void> {
  await execute(tx)`
    update chain_addresses set send_id = null,
        wanted_at = case when address = any(${retried.map(({ address }) => address)}) then ${again}::timestamptz
          when wanted_at > ${askedAt} then wanted_at end
      where send_id = ${sendId}`
}

export async function countRepeat(tx: Tx, networkId: string, addresses: readonly OurAddress[]): Promise<void> {
  await execute(tx)`
    update chain_addresses set repeats = repeats + 1
      where network_id = ${networkId} and address = any(${addresses.map(({ address }) => address)})`
}

/** A page of all addresses of a network. */
export async function listAddresses(db: Db, networkId: string, after: string, limit: number): Promise<OurAddress[]> {
  return select(db)`
    select ${addressColumns} from chain_addresses
      where network_id = ${networkId} and address > ${after} order by address limit ${limit}`
}

/** Locks an address until the transaction ends, so that unseen coin is recorded once. */
export async function lockAddress(tx: Tx, networkId: string, address: string): Promise<void> {
  await execute(tx)`
    select from chain_addresses where network_id = ${networkId} and address = ${address} for no key update`
}

const heldColumns = list({
  ...chainPayments.columns('moved', 'ownerId', 'token'),
  held: sql.numeric`sum(amount)`,
})

/** The expected balances at a final block, by owner and token: payments minus sweeps. */
export async function sumHeld(
  db: Db,
  ownerIds: readonly string[],
  upTo: bigint,
): Promise<(ownerId: string, token: string) => bigint> {
  // Coin that was found by its balance arrived before the block at which it was found.
  const rows = await select(db)`
    select ${heldColumns} from (
      select owner_id, token, amount from chain_payments
        where owner_id = any(${ownerIds}::uuid[]) and gone_at is null
          and (block_number <= ${upTo} or log_index = ${scannedIndex})
      union all
      select owner_id, token, -amount from chain_sweeps
        where owner_id = any(${ownerIds}::uuid[]) and block_number <= ${upTo}
    ) moved group by owner_id, token`
  const held = new Map(rows.map((row) => [`${row.ownerId} ${row.token}`, row.held]))
  return (ownerId, token) => held.get(`${ownerId} ${token}`) ?? 0n
}

const mismatchColumns = list({
  bookId: sql.smallint`coalesce(b.book_id, a.book_id)`,
  difference: sql.numeric`trunc(coalesce(b.amount, 0) + coalesce(a.balance, 0))`,
})

/** Books whose treasury balance on a network differs from the payments booked. */
export async function listBookMismatches(db: Db, networkId: string): Promise<RowOf<typeof mismatchColumns>[]> {
  return select(db)`
    with token as (
      select t.address, c.decimals - t.decimals as digits, b.id as book_id
      from network_tokens t join currencies c on c.id = t.currency_id join networks n on n.id = t.network_id
      join ledger_books b on b.currency = c.abbreviation and b.mode = n.mode where t.network_id = ${networkId}
    ), booked as (
      select t.book_id, sum(p.amount * 10::numeric ^ t.digits) as amount
      from chain_payments p join token t on lower(t.address) = p.token
      where p.network_id = ${networkId} and p.booked_at is not null and p.bookings > 0 group by t.book_id
    ), held as (
      select book_id, balance from ledger_accounts where owner_id = ${networkId} and kind = 'treasury'
    )
    select ${mismatchColumns}
    from booked b full join held a on a.book_id = b.book_id
    where coalesce(b.amount, 0) + coalesce(a.balance, 0) <> 0`
}
