import { conflict, defineErrors, unacceptable, unavailable } from '../../base/errors.ts'

export const exchangeError = defineErrors({
  EXCHANGE_STOPPED: unavailable('Currency exchange is paused. Use the same currency, or try again later.'),
  EXCHANGE_LIMIT_REACHED: conflict(
    'This conversion exceeds what can be exchanged between these currencies at the moment. Try a smaller amount or the same currency.',
  ),
  EXCHANGE_DAILY_LIMIT: unacceptable('This exceeds the amount you can exchange in one day.'),
})
