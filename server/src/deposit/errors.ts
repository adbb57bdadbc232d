import { defineErrors } from '../base/errors.ts'

export const depositError = defineErrors({
  DEPOSIT_NETWORK_UNKNOWN: { kind: 'not_found', message: 'There is no such network, or it takes no deposits.' },
  DEPOSIT_CURRENCY_REFUSED: { kind: 'unacceptable', message: 'This network does not carry this currency.' },
  DEPOSIT_NOT_FOUND: { kind: 'not_found', message: 'There is no such deposit.' },
  CASE_NOT_FOUND: { kind: 'not_found', message: 'There is no such case.' },
  CASE_RESOLVED: { kind: 'conflict', message: 'This case was resolved already.' },
})
