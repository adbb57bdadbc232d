import { conflict, defineErrors, insufficient, notFound, unacceptable } from '../base/errors.ts'

export const batchError = defineErrors({
  BATCH_NOT_FOUND: notFound('You have no batch with this id.'),
  BATCH_NOT_READY: conflict('The vouchers of this batch are still being made. Ask again shortly.'),
  BATCH_BALANCE_TOO_LOW: insufficient('Your balance is lower than these vouchers together.'),
  IMPORT_EMPTY: unacceptable('The file has no rows below its first line.'),
  IMPORT_TOO_LONG: unacceptable('A file has at most 10,000 rows. Split it into several.'),
  IMPORT_UNREADABLE: unacceptable(
    'The file is not CSV: a line has another number of columns than the first, or a quote that does not end.',
  ),
  IMPORT_COLUMNS: unacceptable('The first line names the columns: code and balance, and if you like pin and expires.'),
  IMPORT_ROWS_BAD: unacceptable('Some rows cannot be imported. Nothing was.'),
  IMPORT_UNCONFIRMED: conflict(
    'This is not the file that was tried. Try it without confirmation first, then send the one you are given.',
  ),
})
