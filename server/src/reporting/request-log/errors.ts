import { defineErrors, notFound } from '../../base/errors.ts'

export const requestLogError = defineErrors({
  REQUEST_UNKNOWN: notFound('No request of the last 7 days has this id.'),
})
