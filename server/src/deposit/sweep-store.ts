import type { Db, Tx } from '../base/db.ts'
import { execute, select } from '../base/sql.ts'
import { scannedIndex } from '../chain/block.ts'

export type OurAddress = { readonly address: string; readonly ownerId: string }
type Wanted = OurAddress & { readonly salt: string; readonly wantedAt: Date }

/** Addresses that wait for a sweep, oldest first, locked until the transaction ends. */
export async function lockWanted(tx: Tx, networkId: string, at: Date, limit: number): Promise<Wanted[]> {
  return select<Wanted>(tx)`
    select address, owner_id as "ownerId", salt, wanted_at as "wantedAt" from chain_addresses
      where network_id = ${networkId} and wanted_at <= ${at} and send_id is null
      order by wanted_at limit ${limit} for no key update skip locked`
}

/** Which of these tokens the addresses ever received, in the order that the factory requires. */
export async function listMovedTokens(
  tx: Tx,
  addresses: readonly OurAddress[],
  known: readonly string[],
): Promise<string[]> {
  const rows = await select<{ token: string }>(tx)`
    select distinct token from chain_payments
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

/** An address of a running sweep; `repeats` counts sweeps that left something behind since the last deposit. */
export type Taken = OurAddress & { readonly repeats: number }

export async function listTaken(tx: Tx, sendId: string): Promise<Taken[]> {
  return select<Taken>(tx)`
    select address, owner_id as "ownerId", repeats from chain_addresses where send_id = ${sendId}`
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
  return select<OurAddress>(db)`
    select address, owner_id as "ownerId" from chain_addresses
      where network_id = ${networkId} and address > ${after} order by address limit ${limit}`
}

/** Locks an address until the transaction ends, so that unseen coin is recorded once. */
export async function lockAddress(tx: Tx, networkId: string, address: string): Promise<void> {
  await execute(tx)`
    select from chain_addresses where network_id = ${networkId} and address = ${address} for no key update`
}

/** The expected balances at a final block, by owner and token: payments minus sweeps. */
export async function sumHeld(
  db: Db,
  ownerIds: readonly string[],
  upTo: bigint,
): Promise<(ownerId: string, token: string) => bigint> {
  // Coin that was found by its balance arrived before the block at which it was found.
  const rows = await select<{ ownerId: string; token: string; held: bigint }>(db)`
    select "ownerId", token, sum(amount) as held from (
      select owner_id as "ownerId", token, amount from chain_payments
        where owner_id = any(${ownerIds}::uuid[]) and gone_at is null
          and (block_number <= ${upTo} or log_index = ${scannedIndex})
      union all
      select owner_id, token, -amount from chain_sweeps
        where owner_id = any(${ownerIds}::uuid[]) and block_number <= ${upTo}
    ) moved group by "ownerId", token`
  const held = new Map(rows.map((row) => [`${row.ownerId} ${row.token}`, row.held]))
  return (ownerId, token) => held.get(`${ownerId} ${token}`) ?? 0n
}

/** Books whose treasury balance on a network differs from the payments booked. */
export async function listBookMismatches(db: Db, networkId: string): Promise<{ bookId: number; difference: bigint }[]> {
  return select<{ bookId: number; difference: bigint }>(db)`
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
    select coalesce(b.book_id, a.book_id) as "bookId", trunc(coalesce(b.amount, 0) + coalesce(a.balance, 0)) as difference
    from booked b full join held a on a.book_id = b.book_id
    where coalesce(b.amount, 0) + coalesce(a.balance, 0) <> 0`
}
