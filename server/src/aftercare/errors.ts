import { defineErrors } from '../base/errors.ts'

export const aftercareError = defineErrors({
  VOUCHER_UNKNOWN: { kind: 'not_found', message: 'You have issued no voucher with this id.' },
  VOUCHER_REPLACED: { kind: 'conflict', message: 'This voucher was replaced by another.' },
  VOUCHER_HELD: {
    kind: 'conflict',
    message: 'A part of this voucher is reserved for a payment under way. Try again when that has ended.',
  },
  CONSENT_MISSING: {
    kind: 'forbidden',
    message:
      'This voucher is in somebody’s hands. To cancel it send its code as voucherCode, and its pin as lockPin if it has one.',
  },
  PIN_NEEDED: { kind: 'unacceptable', message: 'The voucher has a pin. Give the new one a pin too, as lockPin.' },
  VOUCHER_NOT_LOCKED: { kind: 'conflict', message: 'This voucher has no pin.' },
  VOUCHER_NOT_EXPIRED: { kind: 'conflict', message: 'This voucher has not expired.' },
  REOPEN_BALANCE_TOO_LOW: {
    kind: 'insufficient',
    message: 'What was left on the voucher is no longer there to be put back.',
  },
})
