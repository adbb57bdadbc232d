import type { Tx } from '../base/db.ts'
import { select } from '../base/sql.ts'

/** What a network shows of a crypto deposit. Amounts are in minor units of the paid currency. */
export type Receipt = {
  readonly id: string
  readonly currency: string
  readonly toDeposit: bigint
  /** Payments in time: in any block of the network, and in a final one. */
  readonly received: bigint
  readonly confirmed: bigint
  /** What the payee was credited, in the currency of the transaction. */
  readonly credited: bigint
  /** Of the first payment. One that a reorganisation removed counts only if there is no other. */
  readonly hash: string
}

/** The transaction hashes of redemptions that paid an address or came from an onchain voucher, by id. */
export async function findRedemptionHashes(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await select<{ id: string; hash: string }>(tx)`
    select a.id, coalesce(a.tx_hash, (select s.hash from chain_signed s where s.send_id = a.send_id order by s.max_fee desc limit 1), '')
      as hash from address_redemptions a where a.id = any(${ids}::uuid[])`
  return new Map(rows.map(({ id, hash }) => [id, hash]))
}

/** The receipts of deposits among these transactions, of the environment that the transaction acts for. */
export async function findReceipts(tx: Tx, ids: readonly string[]): Promise<Map<string, Receipt>> {
  if (ids.length === 0) return new Map()
  const rows = await select<Receipt>(tx)`
    select d.id, b.currency, d.to_deposit as "toDeposit", d.credited,
        coalesce(sum(p.amount) filter (where p.gone_at is null), 0) * d.unit as received,
        coalesce(sum(p.amount) filter (where p.gone_at is null and p.booked_at is not null), 0) * d.unit as confirmed,
        coalesce((array_agg(p.tx_hash order by p.gone_at is not null, p.block_number, p.log_index)
          filter (where p.tx_hash ~ '^0x'))[1], '') as hash
      from deposits d join ledger_books b on b.id = d.pay_book_id
      left join chain_payments p on p.owner_id = d.id and p.token = d.token and p.mined_at <= d.expires_at
      where d.id = any(${ids}::uuid[]) group by d.id, b.currency`
  return new Map(rows.map((row) => [row.id, row]))
}
