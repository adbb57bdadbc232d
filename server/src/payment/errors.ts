import { defineErrors } from '../base/errors.ts'

export const paymentError = defineErrors({
  PAYMENT_NOT_FOUND: { kind: 'not_found', message: 'There is no such request for payment.' },
  PAYMENT_ENDED: { kind: 'conflict', message: 'This request was answered, withdrawn or not answered in time.' },
  PAYMENTS_TOO_MANY: { kind: 'too_many', message: 'Three requests of yours wait for this person already.' },
})
