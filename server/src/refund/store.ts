import type { Tx } from '../base/db.ts'

/** What a redemption took from which voucher, and what the merchant got for it where the currency changed. */
export type RedeemedPart = {
  readonly voucherId: string
  readonly bookId: number
  readonly converted: { readonly bookId: number; readonly amount: bigint } | undefined
}

/** By the redemption's id, which is that of its journal: the journal knows the voucher. */
export async function findRedeemed(tx: Tx, id: string): Promise<RedeemedPart> {
  const { rows } = await tx.query<{
    voucherId: string
    bookId: number
    toBookId: number | null
    toAmount: string | null
  }>(
    `select r.voucher_id as "voucherId", t.book_id as "bookId", r.to_book_id as "toBookId", r.to_amount as "toAmount"
      from ledger_transfers t join redemptions r on r.voucher_id = t.from_owner and r.id = t.journal_id
      where t.journal_id = $1 and t.from_kind = 'voucher' limit 1`,
    [id],
  )
  const [row] = rows
  if (row === undefined) throw new Error('A redemption has no journal.')
  const { voucherId, bookId, toBookId, toAmount } = row
  const converted = toBookId === null ? undefined : { bookId: toBookId, amount: BigInt(toAmount ?? 0) }
  return { voucherId, bookId, converted }
}

export type PaidPart = {
  readonly userId: string
  /** What left the wallet. */
  readonly paid: { readonly bookId: number; readonly amount: bigint }
  readonly merchant: string
}

export async function findPaid(tx: Tx, id: string): Promise<PaidPart> {
  const { rows } = await tx.query<{ userId: string; bookId: number; amount: string; merchant: string }>(
    `select r.user_id as "userId", r.paid_book_id as "bookId", r.paid_amount as amount,
        coalesce(nullif(m.trading_name, ''), m.company_name) as merchant
      from payment_requests r join merchant_environments e on e.id = r.environment_id
      join merchants m on m.id = e.merchant_id where r.id = $1`,
    [id],
  )
  const [row] = rows
  if (row === undefined) throw new Error('A payment was never asked for.')
  const { userId, bookId, amount, merchant } = row
  return { userId, paid: { bookId, amount: BigInt(amount) }, merchant }
}
