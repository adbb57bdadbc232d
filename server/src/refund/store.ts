import type { Tx } from '../base/db.ts'
import { selectOne } from '../base/sql.ts'

/**
 * What a redemption took from which voucher, and what the merchant got for it where the currency changed. By the redemption's id, which
 * is that of its journal: the journal knows the voucher.
 */
export async function findRedeemed(tx: Tx, id: string) {
  const row = await selectOne<{ voucherId: string; bookId: number; toBookId: number | null; toAmount: bigint }>(tx)`
    select r.voucher_id as "voucherId", t.book_id as "bookId", r.to_book_id as "toBookId", r.to_amount as "toAmount"
      from ledger_transfers t join redemptions r on r.voucher_id = t.from_owner and r.id = t.journal_id
      where t.journal_id = ${id} and t.from_kind = 'voucher' limit 1`
  if (row === undefined) throw new Error('A redemption has no journal.')
  const { voucherId, bookId, toBookId, toAmount } = row
  return { voucherId, bookId, converted: toBookId === null ? undefined : { bookId: toBookId, amount: toAmount } }
}

/** Who paid, what left his wallet, and to whom. */
export async function findPaid(tx: Tx, id: string) {
  const row = await selectOne<{ userId: string; bookId: number; amount: bigint; merchant: string }>(tx)`
    select r.user_id as "userId", r.paid_book_id as "bookId", r.paid_amount as amount,
        coalesce(nullif(m.trading_name, ''), m.company_name) as merchant
      from payment_requests r join merchant_environments e on e.id = r.environment_id
      join merchants m on m.id = e.merchant_id where r.id = ${id}`
  if (row === undefined) throw new Error('A payment was never asked for.')
  const { userId, bookId, amount, merchant } = row
  return { userId, paid: { bookId, amount }, merchant }
}
