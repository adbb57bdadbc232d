import type { MerchantCaller } from '../../http/caller.ts'
import type { Db, Tx } from '../../base/db.ts'
import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import { modes } from '../../base/mode.ts'
import { execute, list, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import type { Price } from '../../catalogue/exchange/price.ts'
import { documentOf } from '../../ledger/document.ts'
import { isNamed, transactionFacts, transactions } from '../transaction/store.ts'

export const paymentRequests = defineTable('payment_requests', {
  environmentId: sql.uuid,
  id: sql.uuid,
  /** Null for a request by link that nobody has paid. */
  userId: orNull(sql.uuid),
  note: sql.text,
  expiresAt: sql.timestamptz,
  endedAt: withDefault(orNull(sql.timestamptz)),
  /** What left the wallet. Null until it is paid. */
  paidBookId: withDefault(orNull(sql.smallint)),
  paidAmount: withDefault(orNull(sql.numeric)),
  /** The price at which the wallet's currency was converted. Null: it was not, or the payment is older than this record. */
  paidRateNumerator: withDefault(orNull(sql.numeric)),
  paidRateDenominator: withDefault(orNull(sql.numeric)),
  paidSpreadPpm: withDefault(orNull(sql.integer)),
})

export const requestDocument = documentOf(paymentRequests)

const requestColumns = list({
  ...transactionFacts,
  ...transactions.columns('t', 'memberId'),
  ...paymentRequests.columns('r', 'environmentId', 'userId', 'note', 'expiresAt', 'endedAt'),
  merchantId: sql.uuid`m.id`,
  mode: oneOf(modes)`e.mode`,
  merchant: sql.text`coalesce(nullif(m.trading_name, ''), m.company_name)`,
})
export type PaymentRequest = RowOf<typeof requestColumns>

const requests = sql`select ${requestColumns}
  from payment_requests r
  join all_transactions t on t.environment_id = r.environment_id and t.id = r.id
  join ledger_books b on b.id = t.book_id
  join merchant_environments e on e.id = r.environment_id
  join merchants m on m.id = e.merchant_id`

/** A request that the user or merchant of the transaction may see. */
export async function findRequest(
  tx: Tx,
  by: { readonly id: string } | { readonly reference: string; readonly environmentId: string },
): Promise<PaymentRequest | undefined> {
  return 'id' in by
    ? selectOne(tx)`${requests} where r.id = ${by.id}`
    : selectOne(tx)`
        ${requests} where t.environment_id = ${by.environmentId} and ${isNamed(by.environmentId, by.reference)}`
}

/** The same, locked until the transaction ends. The transaction acts for its environment. */
export async function lockRequest(tx: Tx, id: string): Promise<PaymentRequest | undefined> {
  await execute(tx)`select from payment_requests where id = ${id} for no key update`
  return findRequest(tx, { id })
}

/** The open requests of a user, newest first. A merchant has at most three. */
export async function listOpenRequests(tx: Tx, userId: string, at: Date): Promise<PaymentRequest[]> {
  return select(tx)`
    ${requests} where r.user_id = ${userId} and r.ended_at is null and r.expires_at > ${at}
      order by r.id desc limit 100`
}

/** The latest requests of a user that were declined, withdrawn or expired, newest first. */
export async function listUnpaidRequests(tx: Tx, userId: string): Promise<PaymentRequest[]> {
  return select(tx)`
    ${requests} where r.user_id = ${userId} and r.ended_at is not null and t.status in ('FAILED', 'CANCELED')
      order by r.id desc limit 100`
}

/** The number of open requests of a shop to a user. Requests by public key and by secret key are counted separately. */
export async function countOpen(
  tx: Tx,
  { environmentId, hasSecret }: Pick<MerchantCaller, 'environmentId' | 'hasSecret'>,
  userId: string,
  at: Date,
): Promise<number> {
  return execute(tx)`
    select from payment_requests r join transactions t on t.environment_id = r.environment_id and t.id = r.id
      where r.environment_id = ${environmentId} and r.user_id = ${userId} and r.ended_at is null and r.expires_at > ${at}
        and coalesce(t.by_public_key, false) = ${!hasSecret}`
}

/** The environment of a request by link that nobody has paid. */
export async function findLinkOwner(db: Db, id: string): Promise<string | undefined> {
  return (await selectValue(db)`select ${orNull(sql.uuid)`owner_of_link(${id})`}`) ?? undefined
}

export type Paid = {
  readonly userId: string
  readonly bookId: number
  readonly amount: bigint
  /** Set if the currency was converted. */
  readonly price?: Price | undefined
}

export async function endRequest(tx: Tx, id: string, at: Date, paid?: Paid): Promise<void> {
  const { rate, spreadPpm } = paid?.price ?? {}
  await execute(tx)`
    update payment_requests set ended_at = ${at}, user_id = coalesce(user_id, ${paid?.userId}), paid_book_id = ${paid?.bookId}, paid_amount = ${paid?.amount},
        paid_rate_numerator = ${rate?.numerator}, paid_rate_denominator = ${rate?.denominator},
        paid_spread_ppm = ${spreadPpm}
      where id = ${id}`
}

const userBlocks = defineTable('user_blocks', { userId: sql.uuid, merchantId: sql.uuid, createdAt: sql.timestamptz })

export async function blockMerchant(db: Db, userId: string, merchantId: string, at: Date): Promise<void> {
  await execute(db)`${insertInto(userBlocks, { userId, merchantId, createdAt: at })} on conflict do nothing`
}

export async function unblockMerchant(db: Db, userId: string, merchantId: string): Promise<void> {
  await execute(db)`delete from user_blocks where user_id = ${userId} and merchant_id = ${merchantId}`
}

const blockedColumns = list({
  merchantId: sql.uuid`m.id`,
  name: sql.text`coalesce(nullif(m.trading_name, ''), m.company_name)`,
})

export async function listBlocked(db: Db, userId: string): Promise<RowOf<typeof blockedColumns>[]> {
  return select(db)`
    select ${blockedColumns}
      from user_blocks b join merchants m on m.id = b.merchant_id where b.user_id = ${userId} order by name`
}
