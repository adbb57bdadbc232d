import type { Db } from '../../base/db.ts'
import { list, type RowOf, select, sql } from '../../base/sql.ts'
import { chainSends } from '../../chain/send-store.ts'
import { onchainVouchers } from '../voucher/onchain-store.ts'

const openColumns = list({
  ...onchainVouchers.columns('o', 'voucherId', 'vault', 'balance'),
  /** Never null of an open voucher. */
  codeHash: sql.hex`o.code_hash`,
})
type OpenVoucher = RowOf<typeof openColumns>

/** Open vouchers whose logs up to a final block are all booked. */
export async function listOpenVouchers(
  db: Db,
  networkId: string,
  after: string,
  upTo: bigint,
  limit: number,
): Promise<OpenVoucher[]> {
  return select(db)`
    select ${openColumns} from onchain_vouchers o
      where o.network_id = ${networkId} and o.state = 'open' and o.voucher_id > ${after}::uuid
        and not exists (select from vault_events e where e.network_id = o.network_id and e.vault = o.vault
          and e.code_hash = o.code_hash
          and e.gone_at is null and (e.booked_at is null or e.block_number > ${upTo}))
      order by o.voucher_id limit ${limit}`
}

const mismatchColumns = list({
  bookId: sql.smallint`coalesce(h.book_id, k.book_id)`,
  difference: sql.numeric`trunc(coalesce(h.amount, 0) + coalesce(k.balance, 0))`,
})

/** Books in which the ledger holds another value in vaults than the vouchers have there. */
export async function listLedgerMismatches(db: Db, networkId: string): Promise<RowOf<typeof mismatchColumns>[]> {
  return select(db)`
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
    select ${mismatchColumns}
    from held h full join booked k on k.book_id = h.book_id
    where coalesce(h.amount, 0) + coalesce(k.balance, 0) <> 0`
}

const movedColumns = list(onchainVouchers.columns('o', 'vault', 'token'))

/** Vaults with vouchers in a token whose address or decimals changed in the catalogue. */
export async function listMovedTokens(db: Db, networkId: string): Promise<RowOf<typeof movedColumns>[]> {
  return select(db)`
    select distinct ${movedColumns} from onchain_vouchers o
      where o.network_id = ${networkId} and (o.state = 'creating' or (o.state = 'open' and o.balance > 0)) and not exists (
        select from network_tokens t where t.network_id = o.network_id and lower(t.vault) = o.vault
          and lower(t.address) = o.token and t.decimals = o.decimals)`
}

const stuckColumns = list(chainSends.columns('', 'id', 'reference'))

/** Payouts and calls of vaults that were asked for before this time and have not ended. */
export async function listStuckSends(db: Db, networkId: string, before: Date): Promise<RowOf<typeof stuckColumns>[]> {
  return select(db)`
    select ${stuckColumns} from chain_sends
      where network_id = ${networkId} and ended_at is null and lane <> 'sweep' and asked_at < ${before} order by id limit 100`
}
