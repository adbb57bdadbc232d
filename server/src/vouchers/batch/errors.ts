import { conflict, defineErrors, insufficient, notFound, unacceptable } from '../../base/errors.ts'

export const batchError = defineErrors({
  BATCH_NOT_FOUND: notFound('No batch has this id.'),
  BATCH_NOT_READY: conflict('The vouchers of this batch are still being created. Try again shortly.'),
  BATCH_BALANCE_TOO_LOW: insufficient('Your balance does not cover the total of these vouchers.'),
  IMPORT_EMPTY: unacceptable('The file has no rows below the header.'),
  IMPORT_TOO_LONG: unacceptable('A file can have at most 10,000 rows. Split it into several files.'),
  IMPORT_UNREADABLE: unacceptable(
    'The file is not valid CSV: a line has a different number of columns than the first, or a quote is not closed.',
  ),
  IMPORT_COLUMNS: unacceptable(
    'The first line must name the columns: code and balance, and optionally pin and expires.',
  ),
  IMPORT_ROWS_BAD: unacceptable('Some rows cannot be imported. No row was imported.'),
  IMPORT_UNCONFIRMED: conflict(
    'This file was not checked. Send it without confirmation first, then repeat with the confirmation you receive.',
  ),
})
