import { defineErrors } from '../base/errors.ts'

export const transactionError = defineErrors({
  REFERENCE_INVALID: {
    kind: 'unacceptable',
    message: 'A reference has 1 to 128 characters out of letters, digits and . _ ~ -',
  },
  REFERENCE_TAKEN: { kind: 'conflict', message: 'This reference was used before, for something else.' },
  METADATA_TOO_DEEP: { kind: 'unacceptable', message: 'Metadata is at most 3 deep and 4 kB.' },
  TRANSACTION_NOT_FOUND: { kind: 'not_found', message: 'No transaction has this reference.' },
  RECEIPT_IMPOSSIBLE: { kind: 'unacceptable', message: 'There are receipts for redemptions and refunds only.' },
  RECEIPTS_TOO_MANY: { kind: 'too_many', message: 'Five receipts were sent for this transaction already.' },
})
