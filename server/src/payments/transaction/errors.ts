import { conflict, defineErrors, notFound, unacceptable } from '../../base/errors.ts'

export const transactionError = defineErrors({
  REFERENCE_INVALID: unacceptable('A reference has 1 to 128 characters: letters, digits and . _ ~ -'),
  METADATA_TOO_DEEP: unacceptable('Metadata can be at most 3 levels deep and 4 kB.'),
  TRANSACTION_NOT_FOUND: notFound('No transaction has this reference.'),
  TRANSACTION_ARCHIVED: conflict(
    'This transaction is archived: it cannot be refunded or emailed any more. Pay a refund in another way.',
  ),
  RECEIPT_IMPOSSIBLE: unacceptable('Receipts are available for redemptions and refunds only.'),
  RECEIPTS_TOO_MANY: conflict('Five receipts have already been sent for this transaction.'),
})
