import { defineErrors, insufficient, notFound, unacceptable } from '../../base/errors.ts'

export const payoutError = defineErrors({
  PAYOUT_BALANCE_TOO_LOW: insufficient('Your balance does not cover this payout.'),
  PAYOUT_NETWORK_UNKNOWN: unacceptable('This network is not supported.'),
  PAYOUT_NOT_FOUND: notFound('No payout has this reference.'),
  PAYOUT_CONVERTS_TO_NOTHING: unacceptable(
    'The amount converts to less than the smallest unit of the target currency.',
  ),
})
