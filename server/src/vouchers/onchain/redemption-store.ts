import type { Db, Tx } from '../../base/db.ts'
import { execute, list, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { withdrawSend } from '../../chain/send-store.ts'
import { transactions } from '../../payments/transaction/store.ts'
import { redemptions } from '../voucher/history-store.ts'
import { addressRedemptions } from '../voucher/onchain-store.ts'

const sentColumns = list({
  ...addressRedemptions.columns('a', 'environmentId', 'id', 'voucherId', 'networkId', 'recipient', 'token', 'units'),
  ...addressRedemptions.columns('a', 'gas', 'gasWei', 'vault', 'nonce', 'refHash', 'endedAt'),
  ...transactions.columns('t', 'reference', 'metadata', 'bookId'),
  ...ledgerBooks.columns('b', 'currency'),
  ...redemptions.columns('r', 'amount', 'charge', 'chargedTo', 'rateNumerator', 'rateDenominator', 'spreadPpm'),
  toBookId: sql.smallint`coalesce(r.to_book_id, t.book_id)`,
  toAmount: sql.numeric`coalesce(r.to_amount, r.amount)`,
  toCurrency: sql.text`tb.currency`,
  /** The issuer's. */
  issuerId: sql.uuid`issuer_of_voucher(a.voucher_id)`,
})
/** A redemption that pays on a network, with what was posted when it was requested. */
export type SentRedemption = RowOf<typeof sentColumns>

const sent = sql`select ${sentColumns}
  from address_redemptions a
  join all_transactions t on t.environment_id = a.environment_id and t.id = a.id
  join redemptions r on r.voucher_id = a.voucher_id and r.id = a.id
  join ledger_books b on b.id = t.book_id
  join ledger_books tb on tb.id = coalesce(r.to_book_id, t.book_id)`

/** The environment of a redemption, which must be known before its rows can be read. */
export async function findRedeemer(db: Db, id: string): Promise<string | undefined> {
  return selectValue(db)`
    select ${addressRedemptions.types.environmentId`environment_id`} from address_redemptions where id = ${id}`
}

/** The redemption, if it is open or has ended, locked until the transaction ends. The caller acts for its environment. */
export async function lockSent(
  tx: Tx,
  id: string,
  which: 'open' | 'ended' = 'open',
): Promise<SentRedemption | undefined> {
  await execute(tx)`select from address_redemptions where id = ${id} for no key update`
  return selectOne(tx)`${sent} where a.id = ${id} and (a.ended_at is null) = ${which === 'open'}`
}

const openColumns = list({
  ...addressRedemptions.columns('', 'id', 'recipient', 'units'),
  /** Never null of an onchain voucher. */
  nonce: sql.integer`nonce`,
  refHash: sql.text`ref_hash`,
  fee: sql.numeric`fee`,
  feeRecipient: sql.text`fee_recipient`,
})
/** With everything that its signature covers. */
export type OpenRedemption = RowOf<typeof openColumns>

/** The redemption of an onchain voucher that is on its way, if any. There is at most one. */
export async function findOpen(db: Db, voucherId: string): Promise<OpenRedemption | undefined> {
  return selectOne(db)`
    select ${openColumns} from address_redemptions
      where voucher_id = ${voucherId} and vault is not null and ended_at is null`
}

type Booked = {
  readonly txHash: string
  readonly nonce: number
  readonly refHash: string
  readonly bookedBy: string | null
}

/** The redemption that a booked log completed, or that was made of it. */
export async function findEnded(db: Db, voucherId: string, event: Booked): Promise<string | undefined> {
  const { txHash, nonce, refHash, bookedBy } = event
  return selectValue(db)`
    select ${sql.uuid`id`} from address_redemptions where voucher_id = ${voucherId} and tx_hash = ${txHash}
      and (id = ${bookedBy} or (nonce = ${nonce} and ref_hash = ${refHash}))`
}

/** Ends a redemption. If its send was not signed, it never will be. */
export async function markSentEnded(tx: Tx, id: string, txHash: string | null, at: Date): Promise<void> {
  await execute(tx)`
    update address_redemptions set ended_at = ${at}, tx_hash = ${txHash} where id = ${id}`
  await withdrawSend(tx, id, at)
}

/**
 * Redemptions of onchain vouchers whose signature is no longer valid in a final block. All logs up to that block are read and booked, so
 * these were never carried out.
 */
export async function listOverdue(db: Db, resting: readonly string[], limit: number): Promise<{ id: string }[]> {
  return select(db)`
    select ${list(addressRedemptions.columns('a', 'id'))} from address_redemptions a join chain_finality f on f.network_id = a.network_id
      join onchain_vouchers o on o.voucher_id = a.voucher_id
      where a.deadline < f.mined_at and a.ended_at is null and a.id <> all(${resting}::uuid[])
        and not exists (select from vault_events e where e.network_id = a.network_id and e.vault = a.vault
          and e.code_hash = o.code_hash and e.booked_at is null and e.gone_at is null)
      order by a.deadline limit ${limit}`
}
