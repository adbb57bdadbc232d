/**
 * Whatever holds value is an account. Fee, rounding and exchange accounts belong to a merchant each: an account
 * that all merchants shared would make their payments wait for one another.
 */
export type AccountKind =
  | 'voucher'
  | 'merchant'
  | 'merchant_admin'
  | 'fee'
  | 'rounding'
  | 'exchange'
  | 'treasury'
  | 'batch'
  | 'unclaimed'
  | 'wallet'
  | 'deposit'
  | 'gas'
  | 'purse'

/** An account is named by its book, its owner and its kind: no look-up is needed to name one. */
export type Account = { readonly bookId: number; readonly ownerId: string; readonly kind: AccountKind }

export type AccountState = 'open' | 'no_debit' | 'closed'

/** The name as one string, for maps and for the order of locking. */
export function nameOf({ bookId, ownerId, kind }: Account): string {
  return `${bookId}/${ownerId}/${kind}`
}

/** The outside world owes us what we owe others; an exchange desk is short in one book and long in another; gas is quoted before it is paid. */
export function mayGoNegative(kind: AccountKind): boolean {
  return kind === 'treasury' || kind === 'exchange' || kind === 'gas'
}
