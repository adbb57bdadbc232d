import { conflict, defineErrors, notFound } from '../base/errors.ts'

export const customerError = defineErrors({
  CUSTOMER_NOT_FOUND: notFound('There is no such customer.'),
  CUSTOMER_EMAIL_TAKEN: conflict('Another customer has this e-mail.'),
})
