import { conflict, defineErrors, notFound, tooMany, unacceptable } from '../base/errors.ts'

export const transactionError = defineErrors({
  REFERENCE_INVALID: unacceptable('A reference has 1 to 128 characters out of letters, digits and . _ ~ -'),
  REFERENCE_TAKEN: conflict('This reference was used before, for something else.'),
  METADATA_TOO_DEEP: unacceptable('Metadata is at most 3 deep and 4 kB.'),
  TRANSACTION_NOT_FOUND: notFound('No transaction has this reference.'),
  RECEIPT_IMPOSSIBLE: unacceptable('There are receipts for redemptions and refunds only.'),
  RECEIPTS_TOO_MANY: tooMany('Five receipts were sent for this transaction already.'),
})
