import { defineErrors, notFound } from '../base/errors.ts'

export const dashboardError = defineErrors({
  PAYMENT_UNKNOWN: notFound('No payment has this reference.'),
})
