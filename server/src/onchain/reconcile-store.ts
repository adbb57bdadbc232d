import type { Db } from '../base/db.ts'
import { select } from '../base/sql.ts'

type OpenVoucher = {
  readonly voucherId: string
  readonly vault: string
  readonly codeHash: string
  readonly balance: bigint
}

/** Open vouchers whose logs up to a final block are all booked. */
export async function listOpenVouchers(
  db: Db,
  networkId: string,
  after: string,
  upTo: bigint,
  limit: number,
): Promise<OpenVoucher[]> {
  return select<OpenVoucher>(db)`
    select o.voucher_id as "voucherId", o.vault, o.code_hash as "codeHash", o.balance from onchain_vouchers o
      where o.network_id = ${networkId} and o.state = 'open' and o.voucher_id > ${after}::uuid
        and not exists (select from vault_events e where e.network_id = o.network_id and e.vault = o.vault
          and e.code_hash = o.code_hash
          and e.gone_at is null and (e.booked_at is null or e.block_number > ${upTo}))
      order by o.voucher_id limit ${limit}`
}

/** Books in which the ledger holds another value in vaults than the vouchers have there. */
export async function listLedgerMismatches(
  db: Db,
  networkId: string,
): Promise<{ bookId: number; difference: bigint }[]> {
  return select<{ bookId: number; difference: bigint }>(db)`
    with held as (
      select b.id as book_id, sum(o.balance * 10::numeric ^ (c.decimals - o.decimals)) as amount
      from onchain_vouchers o join networks n on n.id = o.network_id
      join network_tokens t on t.network_id = n.id and lower(t.vault) = o.vault
      join currencies c on c.id = t.currency_id
      join ledger_books b on b.currency = c.abbreviation and b.mode = n.mode
      where o.network_id = ${networkId} and o.state = 'open' group by b.id
    ), booked as (
      select book_id, balance from ledger_accounts where owner_id = ${networkId} and kind = 'vault'
    )
    select coalesce(h.book_id, k.book_id) as "bookId", trunc(coalesce(h.amount, 0) + coalesce(k.balance, 0)) as difference
    from held h full join booked k on k.book_id = h.book_id
    where coalesce(h.amount, 0) + coalesce(k.balance, 0) <> 0`
}

/** Vaults with vouchers in a token whose address or decimals changed in the catalogue. */
export async function listMovedTokens(db: Db, networkId: string): Promise<{ vault: string; token: string }[]> {
  return select<{ vault: string; token: string }>(db)`
    select distinct o.vault, o.token from onchain_vouchers o
      where o.network_id = ${networkId} and (o.state = 'creating' or (o.state = 'open' and o.balance > 0)) and not exists (
        select from network_tokens t where t.network_id = o.network_id and lower(t.vault) = o.vault
          and lower(t.address) = o.token and t.decimals = o.decimals)`
}

/** Payouts and calls of vaults that were asked for before this time and have not ended. */
export async function listStuckSends(
  db: Db,
  networkId: string,
  before: Date,
): Promise<{ id: string; reference: string }[]> {
  return select<{ id: string; reference: string }>(db)`
    select id, reference from chain_sends
      where network_id = ${networkId} and ended_at is null and lane <> 'sweep' and asked_at < ${before} order by id limit 100`
}
