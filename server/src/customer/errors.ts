import { defineErrors } from '../base/errors.ts'

export const customerError = defineErrors({
  CUSTOMER_NOT_FOUND: { kind: 'not_found', message: 'There is no such customer.' },
  CUSTOMER_EMAIL_TAKEN: { kind: 'conflict', message: 'Another customer has this e-mail.' },
})
