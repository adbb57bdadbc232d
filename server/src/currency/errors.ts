import { defineErrors } from '../base/errors.ts'

export const currencyError = defineErrors({
  CURRENCY_UNKNOWN: { kind: 'unacceptable', message: 'This currency is not one of the supported ones.' },
  LOGO_NOT_FOUND: { kind: 'not_found', message: 'There is no such picture.' },
  RATE_UNKNOWN: {
    kind: 'unavailable',
    message:
      'There is no exchange rate between these currencies that is recent enough. Ask again, or use the same currency.',
  },
})
