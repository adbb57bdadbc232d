import type { Db, Tx } from '../base/db.ts'
import { withdrawSend } from '../chain/send-store.ts'
import { execute, raw, select, selectOne, selectValue } from '../base/sql.ts'

/** A redemption that pays on a network, with what was posted when it was requested. */
export type SentRedemption = {
  /** The redeeming merchant's. */
  readonly environmentId: string
  readonly id: string
  readonly voucherId: string
  readonly networkId: string
  readonly recipient: string
  readonly token: string
  readonly units: bigint
  readonly gas: bigint
  readonly gasWei: bigint
  /** Set for an onchain voucher. */
  readonly vault: string | null
  readonly nonce: number | null
  readonly refHash: string | null
  readonly endedAt: Date | null
  readonly reference: string
  readonly metadata: string
  readonly bookId: number
  readonly currency: string
  readonly amount: bigint
  readonly charge: bigint
  readonly chargedTo: 'voucher' | 'merchant'
  readonly toBookId: number
  readonly toAmount: bigint
  readonly toCurrency: string
  /** Of a redemption that was converted: its price. */
  readonly rateNumerator: bigint | null
  readonly rateDenominator: bigint | null
  readonly spreadPpm: number | null
  /** The issuer's. */
  readonly issuerId: string
}

const sent =
  raw(`select a.environment_id as "environmentId", a.id, a.voucher_id as "voucherId", a.network_id as "networkId",
    a.recipient, a.token, a.units, a.gas, a.gas_wei as "gasWei", a.vault, a.nonce, a.ref_hash as "refHash",
    a.ended_at as "endedAt", t.reference, t.metadata, t.book_id as "bookId", b.currency, r.amount, r.charge,
    r.charged_to as "chargedTo", coalesce(r.to_book_id, t.book_id) as "toBookId", coalesce(r.to_amount, r.amount) as "toAmount",
    tb.currency as "toCurrency", r.rate_numerator as "rateNumerator", r.rate_denominator as "rateDenominator", r.spread_ppm as "spreadPpm",
    issuer_of_voucher(a.voucher_id) as "issuerId"
  from address_redemptions a
  join transactions t on t.environment_id = a.environment_id and t.id = a.id
  join redemptions r on r.voucher_id = a.voucher_id and r.id = a.id
  join ledger_books b on b.id = t.book_id
  join ledger_books tb on tb.id = coalesce(r.to_book_id, t.book_id)`)

/** The environment of a redemption, which must be known before its rows can be read. */
export async function findRedeemer(db: Db, id: string): Promise<string | undefined> {
  const row = await selectOne<{ environmentId: string }>(db)`
    select environment_id as "environmentId" from address_redemptions where id = ${id}`
  return row?.environmentId
}

/** The redemption, if it is open or has ended, locked until the transaction ends. The caller acts for its environment. */
export async function lockSent(
  tx: Tx,
  id: string,
  which: 'open' | 'ended' = 'open',
): Promise<SentRedemption | undefined> {
  await execute(tx)`select from address_redemptions where id = ${id} for no key update`
  return selectOne<SentRedemption>(tx)`${sent} where a.id = ${id} and (a.ended_at is null) = ${which === 'open'}`
}

/** With everything that its signature covers. */
export type OpenRedemption = {
  readonly id: string
  readonly nonce: number
  readonly refHash: string
  readonly recipient: string
  readonly units: bigint
  readonly fee: bigint
  readonly feeRecipient: string
}

/** The redemption of an onchain voucher that is on its way, if any. There is at most one. */
export async function findOpen(db: Db, voucherId: string): Promise<OpenRedemption | undefined> {
  return selectOne<OpenRedemption>(db)`
    select id, nonce, ref_hash as "refHash", recipient, units, fee, fee_recipient as "feeRecipient" from address_redemptions
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
  return selectValue<string>(db)`
    select id from address_redemptions where voucher_id = ${voucherId} and tx_hash = ${txHash}
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
  return select<{ id: string }>(db)`
    select a.id from address_redemptions a join chain_finality f on f.network_id = a.network_id
      join onchain_vouchers o on o.voucher_id = a.voucher_id
      where a.deadline < f.mined_at and a.ended_at is null and a.id <> all(${resting}::uuid[])
        and not exists (select from vault_events e where e.network_id = a.network_id and e.vault = a.vault
          and e.code_hash = o.code_hash and e.booked_at is null and e.gone_at is null)
      order by a.deadline limit ${limit}`
}
