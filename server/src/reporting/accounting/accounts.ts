/**
 * The accounts of a merchant as reports name them. All vouchers of a kind are one account. `others` is whatever a journal moved from or
 * to accounts of others, such as wallets of users and balances of other shops, so that each journal balances.
 */
export const reportAccounts = [
  'balance',
  'admin',
  'store_float',
  'platform_vouchers',
  'store_vouchers',
  'batches',
  'unclaimed',
  'fees',
  'exchange',
  'rounding',
  'funding',
  'others',
] as const
export type ReportAccount = (typeof reportAccounts)[number]

/** What a voucher is worth is on one of these, by its kind. */
export const voucherAccounts = ['platform_vouchers', 'store_vouchers'] as const
