import { conflict, defineErrors, notFound, tooMany, unacceptable } from '../base/errors.ts'

export const depositError = defineErrors({
  DEPOSIT_NETWORK_UNKNOWN: notFound('There is no such network, or it takes no deposits.'),
  DEPOSIT_CURRENCY_REFUSED: unacceptable('This network does not carry this currency.'),
  DEPOSIT_NOT_FOUND: notFound('There is no such deposit.'),
  DEPOSITS_TOO_MANY: tooMany('Five of your deposits are open. Pay one of them, or wait until its time is over.'),
  CASE_NOT_FOUND: notFound('There is no such case.'),
  CASE_RESOLVED: conflict('This case was resolved already.'),
})
