import { defineErrors, notFound, unacceptable, unavailable } from '../base/errors.ts'

export const currencyError = defineErrors({
  AMOUNT_ZERO: unacceptable('The amount must be above zero.'),
  AMOUNT_ABOVE_LIMIT: unacceptable("The amount is above the currency's largest."),
  AMOUNT_BELOW_LIMIT: unacceptable("The amount is below the currency's smallest."),
  CURRENCY_UNKNOWN: unacceptable('This currency is not one of the supported ones.'),
  LOGO_NOT_FOUND: notFound('There is no such picture.'),
  RATE_UNKNOWN: unavailable(
    'There is no exchange rate between these currencies that is recent enough. Ask again, or use the same currency.',
  ),
})
