import type { Db, Tx } from '../base/db.ts'
import { defineDocument } from '../ledger/document.ts'
import type { TransactionStatus } from '../transaction/status.ts'

export const requestDocument = defineDocument('payment_requests', {
  environment_id: 'uuid',
  id: 'uuid',
  user_id: 'uuid',
  note: 'text',
  expires_at: 'timestamptz',
})

export type PaymentRequest = {
  readonly id: string
  readonly environmentId: string
  readonly userId: string
  readonly reference: string
  readonly status: TransactionStatus
  readonly bookId: number
  readonly currency: string
  readonly amount: bigint
  readonly note: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly endedAt: Date | null
  readonly merchantId: string
  readonly merchant: string
}

const requests = `select r.id, r.environment_id as "environmentId", r.user_id as "userId", t.reference, t.status,
    t.book_id as "bookId", b.currency, t.amount, r.note, t.created_at as "createdAt", r.expires_at as "expiresAt",
    r.ended_at as "endedAt", m.id as "merchantId", coalesce(nullif(m.trading_name, ''), m.company_name) as merchant
  from payment_requests r
  join transactions t on t.environment_id = r.environment_id and t.id = r.id
  join ledger_books b on b.id = t.book_id
  join merchant_environments e on e.id = r.environment_id
  join merchants m on m.id = e.merchant_id`

type Row = Omit<PaymentRequest, 'amount'> & { amount: string }
const toRequest = (row: Row): PaymentRequest => ({ ...row, amount: BigInt(row.amount) })

/** One that whoever the transaction acts for may see. */
export async function findRequest(
  tx: Tx,
  by: { readonly id: string } | { readonly reference: string; readonly environmentId: string },
): Promise<PaymentRequest | undefined> {
  const { rows } =
    'id' in by
      ? await tx.query<Row>(`${requests} where r.id = $1`, [by.id])
      : await tx.query<Row>(`${requests} where t.environment_id = $1 and t.reference = $2`, [
          by.environmentId,
          by.reference,
        ])
  return rows.map(toRequest)[0]
}

/** The same, locked until the end of the transaction, which acts for its environment. */
export async function lockRequest(tx: Tx, id: string): Promise<PaymentRequest | undefined> {
  await tx.query('select from payment_requests where id = $1 for no key update', [id])
  return findRequest(tx, { id })
}

/** What waits for a person, newest first. At most three of a merchant do. */
export async function listOpenRequests(tx: Tx, userId: string, at: Date): Promise<PaymentRequest[]> {
  const { rows } = await tx.query<Row>(
    `${requests} where r.user_id = $1 and r.ended_at is null and r.expires_at > $2 order by r.id desc limit 100`,
    [userId, at],
  )
  return rows.map(toRequest)
}

export async function countOpen(tx: Tx, environmentId: string, userId: string, at: Date): Promise<number> {
  const { rowCount } = await tx.query(
    `select from payment_requests where environment_id = $1 and user_id = $2 and ended_at is null and expires_at > $3`,
    [environmentId, userId, at],
  )
  return rowCount ?? 0
}

export async function endRequest(
  tx: Tx,
  id: string,
  at: Date,
  paid?: { readonly bookId: number; readonly amount: bigint },
): Promise<void> {
  await tx.query('update payment_requests set ended_at = $2, paid_book_id = $3, paid_amount = $4 where id = $1', [
    id,
    at,
    paid?.bookId,
    paid?.amount,
  ])
}

export async function isBlocked(db: Db, userId: string, merchantId: string): Promise<boolean> {
  const { rowCount } = await db.query('select from user_blocks where user_id = $1 and merchant_id = $2', [
    userId,
    merchantId,
  ])
  return rowCount === 1
}

export async function blockMerchant(db: Db, userId: string, merchantId: string, at: Date): Promise<void> {
  await db.query(
    'insert into user_blocks (user_id, merchant_id, created_at) values ($1, $2, $3) on conflict do nothing',
    [userId, merchantId, at],
  )
}

export async function unblockMerchant(db: Db, userId: string, merchantId: string): Promise<void> {
  await db.query('delete from user_blocks where user_id = $1 and merchant_id = $2', [userId, merchantId])
}

export async function listBlocked(db: Db, userId: string): Promise<{ merchantId: string; name: string }[]> {
  const { rows } = await db.query<{ merchantId: string; name: string }>(
    `select m.id as "merchantId", coalesce(nullif(m.trading_name, ''), m.company_name) as name
      from user_blocks b join merchants m on m.id = b.merchant_id where b.user_id = $1 order by name`,
    [userId],
  )
  return rows
}
