import { conflict, defineErrors, notFound, unacceptable } from '../../base/errors.ts'

export const customerError = defineErrors({
  CUSTOMER_NOT_FOUND: notFound('No customer has this id.'),
  CUSTOMER_EMAIL_TAKEN: conflict('Another customer has this email address.'),
  CUSTOMERS_EMPTY: unacceptable('The file has no rows below the header.'),
  CUSTOMERS_TOO_LONG: unacceptable('A file can have at most 10,000 rows. Split it into several files.'),
  CUSTOMERS_UNREADABLE: unacceptable(
    'The file is not valid CSV: a line has a different number of columns than the first, or a quote is not closed.',
  ),
  CUSTOMERS_COLUMNS: unacceptable('The first line must name the columns: email and name.'),
})
