import { conflict, defineErrors, notFound, tooMany } from '../base/errors.ts'

export const paymentError = defineErrors({
  PAYMENT_NOT_FOUND: notFound('There is no such request for payment.'),
  PAYMENT_ENDED: conflict('This request was answered, withdrawn or not answered in time.'),
  PAYMENTS_TOO_MANY: tooMany('Three requests of yours wait for this person already.'),
})
