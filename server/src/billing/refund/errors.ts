import { conflict, defineErrors, insufficient, notFound, unacceptable } from '../../base/errors.ts'

export const refundError = defineErrors({
  REFUND_IMPOSSIBLE: conflict('Only a completed redemption, payment or deposit can be refunded.'),
  REFUND_TOO_LARGE: unacceptable(
    'Refunds cannot exceed the transaction amount. maxAmount is what can still be refunded.',
  ),
  REFUND_CONVERTS_TO_NOTHING: unacceptable(
    'At the current rate, the refund is less than the smallest unit the payer can receive.',
  ),
  REFUND_BALANCE_TOO_LOW: insufficient('Your balance does not cover this refund.'),
  REFUND_RECIPIENT_MISSING: unacceptable(
    'A deposit has no payer that can be refunded by itself. Send platformUsernameOrEmail, merchantCode or byLink.',
  ),
  REFUND_RECIPIENT_TWICE: unacceptable('Send only one of platformUsernameOrEmail, merchantCode and byLink.'),
  REFUND_RECIPIENT_FIXED: unacceptable(
    'This transaction is refunded to the voucher or wallet that it came from. Send no recipient.',
  ),
  REFUND_MERCHANT_UNKNOWN: notFound('No merchant has this code.'),
  REFUND_TO_YOURSELF: unacceptable('You cannot refund a deposit to your own balance.'),
  REFUND_OF_USER: conflict('This deposit was made to the wallet of a user, who keeps it.'),
  REFUND_TO_SELF: conflict('You paid for this voucher and it was cancelled, so there is no one to refund.'),
})
