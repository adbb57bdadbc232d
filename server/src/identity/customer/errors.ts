import { conflict, defineErrors, notFound } from '../../base/errors.ts'

export const customerError = defineErrors({
  CUSTOMER_NOT_FOUND: notFound('No customer has this id.'),
  CUSTOMER_EMAIL_TAKEN: conflict('Another customer has this email address.'),
})
