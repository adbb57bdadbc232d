import { conflict, defineErrors, insufficient, notFound, unacceptable } from '../../base/errors.ts'

export const holdError = defineErrors({
  VOUCHER_HOLD_NOT_FOUND: notFound('You have no voucher hold with this id.'),
  VOUCHER_HOLD_ENDED: conflict('This hold was already captured or released.'),
  VOUCHER_HOLD_EXPIRED: conflict('This hold has expired. Its amount is available on the voucher again.'),
  VOUCHER_HOLD_TOO_SMALL: insufficient('The hold reserves less than this amount.'),
  VOUCHER_HOLD_TOO_LONG: unacceptable(
    'A hold lasts at most 15 minutes with the public key alone, and at most 7 days in all.',
  ),
  VOUCHER_HOLD_ONCHAIN: unacceptable('An onchain voucher cannot be held. Redeem it when you ship the order.'),
})
