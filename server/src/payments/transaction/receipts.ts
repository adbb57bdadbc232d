import type { Tx } from '../../base/db.ts'
import { list, type RowOf, select, sql } from '../../base/sql.ts'
import { ledgerBooks } from '../../ledger/book.ts'

/** What a network shows of a crypto deposit. Amounts are in minor units of the paid currency. */
const receiptColumns = list({
  id: sql.uuid`d.id`,
  ...ledgerBooks.columns('b', 'currency'),
  toDeposit: sql.numeric`d.to_deposit`,
  /** Payments in time: in any block of the network, and in a final one. */
  received: sql.numeric`coalesce(sum(p.amount) filter (where p.gone_at is null), 0) * d.unit`,
  confirmed: sql.numeric`
    coalesce(sum(p.amount) filter (where p.gone_at is null and p.booked_at is not null), 0) * d.unit`,
  /** What the payee was credited, in the currency of the transaction. */
  credited: sql.numeric`d.credited`,
  /** Of the first payment. One that a reorganisation removed counts only if there is no other. */
  hash: sql.text`
    coalesce((array_agg(p.tx_hash order by p.gone_at is not null, p.block_number, p.log_index)
      filter (where p.tx_hash ~ '^0x'))[1], '')`,
})
export type Receipt = RowOf<typeof receiptColumns>

const redemptionHash = list({
  id: sql.uuid`a.id`,
  hash: sql.text`
    coalesce(a.tx_hash, (select s.hash from chain_signed s where s.send_id = a.send_id order by s.max_fee desc limit 1), '')`,
})

/** The transaction hashes of redemptions that paid an address or came from an onchain voucher, by id. */
export async function findRedemptionHashes(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await select(tx)`
    select ${redemptionHash} from address_redemptions a where a.id = any(${ids}::uuid[])`
  return new Map(rows.map(({ id, hash }) => [id, hash]))
}

/** The receipts of deposits among these transactions, of the environment that the transaction acts for. */
export async function findReceipts(tx: Tx, ids: readonly string[]): Promise<Map<string, Receipt>> {
  if (ids.length === 0) return new Map()
  const rows = await select(tx)`
    select ${receiptColumns}
      from deposits d join ledger_books b on b.id = d.pay_book_id
      left join chain_payments p on p.owner_id = d.id and p.token = d.token and p.mined_at <= d.expires_at
      where d.id = any(${ids}::uuid[]) group by d.id, b.currency`
  return new Map(rows.map((row) => [row.id, row]))
}
