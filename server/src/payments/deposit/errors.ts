import { conflict, defineErrors, notFound, unacceptable } from '../../base/errors.ts'

export const depositError = defineErrors({
  DEPOSIT_NETWORK_UNKNOWN: notFound('This network does not exist or does not accept deposits.'),
  DEPOSIT_CURRENCY_REFUSED: unacceptable('This currency is not available on this network.'),
  DEPOSIT_NOT_FOUND: notFound('No deposit has this id.'),
  DEPOSITS_TOO_MANY: conflict('You have five open deposits. Pay one, or wait until one expires.'),
  CASE_MATCH_UNKNOWN: unacceptable('You have no transaction with this reference.'),
  CASE_NOT_FOUND: notFound('No unmatched deposit has this id.'),
  CASE_RESOLVED: conflict('This deposit has already been resolved.'),
})
