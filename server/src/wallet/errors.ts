import { conflict, defineErrors, insufficient, unacceptable } from '../base/errors.ts'

export const walletError = defineErrors({
  WALLET_TOO_LOW: insufficient('There is not that much in this wallet.'),
  WALLET_LIMIT: unacceptable('That is more than may leave your wallet in a day.'),
  WALLET_QUOTE_STALE: conflict('The rate was kept for a while, and that is over. Look again.'),
  WALLET_SELF: unacceptable('That is your own wallet.'),
  WALLET_SAME_CURRENCY: unacceptable('Name two currencies.'),
  AMOUNT_CONVERTS_TO_NOTHING: unacceptable('So little is nothing in the other currency.'),
})
