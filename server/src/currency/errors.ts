import { defineErrors } from '../base/errors.ts'

export const currencyError = defineErrors({
  AMOUNT_ZERO: { kind: 'unacceptable', message: 'The amount must be above zero.' },
  AMOUNT_ABOVE_LIMIT: { kind: 'unacceptable', message: "The amount is above the currency's largest." },
  AMOUNT_BELOW_LIMIT: { kind: 'unacceptable', message: "The amount is below the currency's smallest." },
  CURRENCY_UNKNOWN: { kind: 'unacceptable', message: 'This currency is not one of the supported ones.' },
  LOGO_NOT_FOUND: { kind: 'not_found', message: 'There is no such picture.' },
  RATE_UNKNOWN: {
    kind: 'unavailable',
    message:
      'There is no exchange rate between these currencies that is recent enough. Ask again, or use the same currency.',
  },
})
