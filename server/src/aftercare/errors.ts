import { conflict, defineErrors, forbidden, insufficient, notFound, unacceptable } from '../base/errors.ts'

export const aftercareError = defineErrors({
  VOUCHER_UNKNOWN: notFound('You have issued no voucher with this id.'),
  VOUCHER_REPLACED: conflict('This voucher was replaced by another.'),
  VOUCHER_HELD: conflict('A part of this voucher is reserved for a payment under way. Try again when that has ended.'),
  CONSENT_MISSING: forbidden(
    'This voucher is in somebody’s hands. To cancel it send its code as voucherCode, and its pin as lockPin if it has one.',
  ),
  VOUCHER_GREW: conflict('More is on the voucher than was approved. Cancel the request and replace it again.'),
  PIN_NEEDED: unacceptable('The voucher has a pin. Give the new one a pin too, as lockPin.'),
  VOUCHER_NOT_LOCKED: conflict('This voucher has no pin.'),
  VOUCHER_NOT_EXPIRED: conflict('This voucher has not expired.'),
  REOPEN_BALANCE_TOO_LOW: insufficient('What was left on the voucher is no longer there to be put back.'),
})
