import { conflict, defineErrors, forbidden, insufficient, notFound, unacceptable } from '../../base/errors.ts'

export const lifecycleError = defineErrors({
  VOUCHER_UNKNOWN: notFound('You have not issued a voucher with this id.'),
  VOUCHER_REPLACED: conflict('This voucher was replaced by another.'),
  VOUCHER_HELD: conflict('Part of this voucher is reserved for a pending payment. Try again when it has ended.'),
  CONSENT_MISSING: forbidden(
    'A customer holds this voucher. To cancel it, send its code as voucherCode, and its PIN as lockPin if it has one.',
  ),
  VOUCHER_GREW: conflict(
    'The voucher balance is higher than the approved amount. Cancel the request and replace the voucher again.',
  ),
  PIN_NEEDED: unacceptable('The voucher has a PIN. Set a PIN for the new one as lockPin.'),
  VOUCHER_NOT_LOCKED: conflict('This voucher has no PIN.'),
  VOUCHER_NOT_EXPIRED: conflict('This voucher has not expired.'),
  REOPEN_BALANCE_TOO_LOW: insufficient('Your balance does not cover the value to restore to this voucher.'),
})
