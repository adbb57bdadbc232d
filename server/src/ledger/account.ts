/**
 * Everything that holds value is an account. Fee, rounding and exchange accounts exist once per merchant: accounts shared by
 * all merchants would make their payments wait for each other's locks.
 */
export const accountKinds = [
  'voucher',
  'merchant',
  'merchant_admin',
  'fee',
  'rounding',
  'exchange',
  'treasury',
  'batch',
  'unclaimed',
  'wallet',
  'deposit',
  'gas',
  'purse',
  'vault',
  'sending',
  'store_float',
  'store_voucher',
] as const
export type AccountKind = (typeof accountKinds)[number]

const accountsBelowZero: ReadonlySet<AccountKind> = new Set(['treasury', 'exchange', 'gas', 'vault', 'store_float'])

/** An account is identified by its book, owner and kind, so no look-up is needed to refer to one. */
export type Account = { readonly bookId: number; readonly ownerId: string; readonly kind: AccountKind }

export const accountStates = ['open', 'no_debit', 'closed'] as const
export type AccountState = (typeof accountStates)[number]

/** The account as one string, for maps and for the lock order. */
export function nameOf({ bookId, ownerId, kind }: Account): string {
  return `${bookId}/${ownerId}/${kind}`
}

/**
 * Treasury and vault accounts mirror what we owe, exchange desks are short in one book and long in another, gas is quoted before it is
 * paid, and the float of a shop is minus what it owes the holders of its store vouchers.
 */
export function mayGoNegative(kind: AccountKind): boolean {
  return accountsBelowZero.has(kind)
}
