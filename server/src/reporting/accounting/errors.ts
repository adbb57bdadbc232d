import { defineErrors, notFound, unacceptable } from '../../base/errors.ts'

export const reportError = defineErrors({
  REPORT_PERIOD_INVALID: unacceptable('The first day of a report comes before its last.'),
  REPORT_VOUCHER_UNKNOWN: notFound('You have issued no voucher with this id.'),
})
