import type { Account } from './account.ts'
import type { Transfer } from './journal.ts'

type Side = { readonly account: Account; readonly amount: bigint }

/** A merchant's exchange desk in a book. Its balance is what it took in minus what it paid out. */
export function exchangeAccount(merchantId: string, bookId: number): Account {
  return { bookId, ownerId: merchantId, kind: 'exchange' }
}

/**
 * Exchanges between two books, balanced in each: the payer pays the merchant's desk in one book, the desk pays the payee in
 * the other. Gains and losses from the rate remain visible in the desk's two balances.
 */
export function exchange(merchantId: string, from: Side, to: Side): { transfers: Transfer[]; open: Account[] } {
  const taking = exchangeAccount(merchantId, from.account.bookId)
  const giving = exchangeAccount(merchantId, to.account.bookId)
  return {
    transfers: [
      { from: from.account, to: taking, amount: from.amount },
      { from: giving, to: to.account, amount: to.amount },
    ],
    open: [taking, giving],
  }
}

/** Like `exchange`, but transfers directly if both accounts are in the same book. Opens the payee's account if needed. */
export function payAcross(merchantId: string, from: Side, to: Side): { transfers: Transfer[]; open: Account[] } {
  if (from.account.bookId === to.account.bookId)
    return { transfers: [{ from: from.account, to: to.account, amount: to.amount }], open: [to.account] }
  const { transfers, open } = exchange(merchantId, from, to)
  return { transfers, open: [...open, to.account] }
}
