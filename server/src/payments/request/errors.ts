import { conflict, defineErrors, forbidden, notFound } from '../../base/errors.ts'

export const paymentError = defineErrors({
  PAYMENT_NOT_FOUND: notFound('This payment request does not exist.'),
  PAYMENT_ENDED: conflict('This payment request was answered or withdrawn, or has expired.'),
  PAYMENT_OF_COLLEAGUE: forbidden('Another staff member made this request. An owner can cancel it.'),
  PAYMENTS_TOO_MANY: conflict('You already have three open payment requests to this user.'),
})
