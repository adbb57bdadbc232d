import type { Account } from './account.ts'
import type { Transfer } from './journal.ts'

type Side = { readonly account: Account; readonly amount: bigint }

/** A merchant's exchange desk in a book: what it took in there less what it gave. */
export function exchangeAccount(merchantId: string, bookId: number): Account {
  return { bookId, ownerId: merchantId, kind: 'exchange' }
}

/**
 * Value that changes its currency is balanced in each book: the payer pays the merchant's desk in one, the desk pays
 * the payee in the other. What the desk gains or loses by the rate stays in its two balances, to be seen.
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

/** The same, also within one book, where no desk is needed. Whoever is paid need not have an account yet. */
export function payAcross(merchantId: string, from: Side, to: Side): { transfers: Transfer[]; open: Account[] } {
  if (from.account.bookId === to.account.bookId)
    return { transfers: [{ from: from.account, to: to.account, amount: to.amount }], open: [to.account] }
  const { transfers, open } = exchange(merchantId, from, to)
  return { transfers, open: [...open, to.account] }
}
