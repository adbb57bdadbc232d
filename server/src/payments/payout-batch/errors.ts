import { conflict, defineErrors, insufficient, notFound, unacceptable } from '../../base/errors.ts'

export const payoutBatchError = defineErrors({
  PAYOUT_BATCH_NOT_FOUND: notFound('No payout file has this id.'),
  PAYOUT_BATCH_BALANCE_TOO_LOW: insufficient('Your balance does not cover the total of this file.'),
  PAYOUT_FILE_EMPTY: unacceptable('The file has no rows below the header.'),
  PAYOUT_FILE_TOO_LONG: unacceptable('A file can have at most 5,000 rows. Split it into several files.'),
  PAYOUT_FILE_UNREADABLE: unacceptable(
    'The file is not valid CSV: a line has a different number of columns than the first, or a quote is not closed.',
  ),
  PAYOUT_FILE_COLUMNS: unacceptable(
    'The first line must name the columns: recipient and amount, and optionally currency, reference and note.',
  ),
  PAYOUT_FILE_ALL_BAD: unacceptable('No row of this file can be paid.'),
  PAYOUT_FILE_CHANGED: conflict(
    'This file was not checked, or a row has changed since. Check it again, then repeat with the new confirmation.',
  ),
})
