import { conflict, defineErrors, insufficient, unacceptable } from '../base/errors.ts'

export const walletError = defineErrors({
  WALLET_TOO_LOW: insufficient('There is not that much in this wallet.'),
  WALLET_LIMIT: unacceptable('That is more than may leave your wallet in a day.'),
  WALLET_QUOTE_STALE: conflict('This rate has expired. Get a new rate.'),
  WALLET_RATE_MOVED: conflict('The rate has changed since it was quoted. The new rate is in error.quote.'),
  WALLET_SELF: unacceptable('That is your own wallet.'),
  WALLET_SAME_CURRENCY: unacceptable('Name two currencies.'),
  AMOUNT_CONVERTS_TO_NOTHING: unacceptable(
    'The amount converts to less than the smallest unit of the target currency.',
  ),
})
