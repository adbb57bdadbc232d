import { conflict, defineErrors, insufficient, unacceptable } from '../../base/errors.ts'

export const walletError = defineErrors({
  WALLET_TOO_LOW: insufficient('Your wallet balance is too low.'),
  WALLET_LIMIT: unacceptable('This exceeds your daily limit.'),
  WALLET_QUOTE_STALE: conflict('This rate has expired. Get a new rate.'),
  WALLET_RATE_MOVED: conflict('The rate has changed since it was quoted. The new rate is in error.quote.'),
  WALLET_SELF: unacceptable('This is your own wallet.'),
  WALLET_SAME_CURRENCY: unacceptable('Choose two different currencies.'),
  AMOUNT_CONVERTS_TO_NOTHING: unacceptable(
    'The amount converts to less than the smallest unit of the target currency.',
  ),
})
