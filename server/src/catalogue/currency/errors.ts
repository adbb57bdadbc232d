import { defineErrors, notFound, unacceptable, unavailable } from '../../base/errors.ts'

export const currencyError = defineErrors({
  AMOUNT_ZERO: unacceptable('The amount must be greater than zero.'),
  AMOUNT_ABOVE_LIMIT: unacceptable('The amount is above the maximum for this currency.'),
  AMOUNT_BELOW_LIMIT: unacceptable('The amount is below the minimum for this currency.'),
  CURRENCY_UNKNOWN: unacceptable('This currency is not supported.'),
  LOGO_NOT_FOUND: notFound('This logo does not exist.'),
  RATE_UNKNOWN: unavailable(
    'No recent exchange rate between these currencies is available. Try again later, or use the same currency.',
  ),
})
