import { conflict, defineErrors, insufficient, unacceptable } from '../base/errors.ts'

export const refundError = defineErrors({
  REFUND_IMPOSSIBLE: conflict('Only a completed redemption or payment can be refunded.'),
  REFUND_TOO_LARGE: unacceptable(
    'Refunds in all are at most the amount of the transaction. maxAmount is what can still be refunded.',
  ),
  REFUND_CONVERTS_TO_NOTHING: unacceptable(
    'At the current rate this refund is less than the smallest unit the payer can get.',
  ),
  REFUND_BALANCE_TOO_LOW: insufficient('Your balance is lower than this refund.'),
  REFUND_TO_SELF: conflict(
    'The voucher was cancelled and was paid for by you, so there is nobody to give this back to.',
  ),
})
