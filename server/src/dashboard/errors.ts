import { conflict, defineErrors, notFound } from '../base/errors.ts'

export const dashboardError = defineErrors({
  PAYMENT_UNKNOWN: notFound('There is no payment with this reference.'),
  ISSUED_UNKNOWN: notFound('You have issued no such voucher.'),
  ISSUED_NOT_HANDED_OVER: conflict('Its code can be seen once its batch was downloaded.'),
})
