import { conflict, defineErrors, forbidden, insufficient, notFound, tooMany, unacceptable } from '../base/errors.ts'

export const voucherError = defineErrors({
  VOUCHER_CODE_MISTYPED: unacceptable('This is not a voucher code. A symbol is missing or mistyped.'),
  VOUCHER_NOT_FOUND: notFound('No voucher that can be used here has this code.'),
  VOUCHER_ELSEWHERE: forbidden('This voucher can be redeemed at other merchants only.'),
  VOUCHER_BLOCKED: conflict('This voucher is blocked.'),
  VOUCHER_CANCELLED: conflict('This voucher was cancelled.'),
  VOUCHER_EXPIRED: conflict('This voucher has expired.'),
  VOUCHER_FROZEN: forbidden('The lock pin was wrong ten times. Whoever issued the voucher can reset it.'),
  VOUCHER_PIN_MISSING: forbidden('This voucher is locked with a pin of 4 digits.'),
  VOUCHER_PIN_WRONG: forbidden('The lock pin is wrong.'),
  VOUCHER_PIN_LOCKED: forbidden('The lock pin was wrong five times. It can be tried again after 15 minutes.'),
  VOUCHER_BALANCE_TOO_LOW: insufficient('The voucher holds less than this amount and its charges.'),
  VOUCHER_EMPTY: insufficient('Nothing is left on this voucher.'),
  VOUCHER_SECRET_NEEDED: forbidden(
    'This merchant redeems vouchers with its secret key only. Send it as X-API-Private-Key.',
  ),
  VOUCHER_GUESSING: tooMany('Too many unknown codes from this address. Wait as the Retry-After header says.'),
  VOUCHER_ONCHAIN_UNAVAILABLE: unacceptable(
    'Redeeming to a wallet address is not available. Leave walletAddress out to credit your balance.',
  ),
  AMOUNT_TOO_SMALL_TO_CONVERT: unacceptable('The amount is worth less than the smallest unit of the other currency.'),
  QUOTE_STALE: conflict(
    'This quote has ended, was used, is not for this redemption, or the rate has moved. Request a new quote.',
  ),
  EXPIRY_INVALID: unacceptable(
    'The expiry is a date such as 2030-12-31 or a time such as 2030-12-31T18:00:00Z, in the future.',
  ),
  RECIPIENT_MISSING: unacceptable('Say in forEmail where the voucher is to be sent.'),
  RECIPIENT_TWICE: unacceptable('A voucher is made for an e-mail or for a merchant, not for both.'),
  ISSUER_BALANCE_TOO_LOW: insufficient('Your balance is lower than this voucher.'),
})
