import { conflict, defineErrors, forbidden, insufficient, notFound, unacceptable } from '../base/errors.ts'

export const payoutError = defineErrors({
  PAYOUT_BALANCE_TOO_LOW: insufficient('Your balance does not cover this payout.'),
  PAYOUT_ABOVE_CAP: unacceptable('That is more than you allowed to be paid out in a day.'),
  PAYOUT_NETWORK_UNKNOWN: unacceptable('There is no such network.'),
  PAYOUT_NOT_FOUND: notFound('There is no such payout.'),
  PAYOUT_ENDED: conflict('This payout does not wait for anybody.'),
  PAYOUT_SAME_PERSON: forbidden('Another person than who asked for it has to approve it.'),
  PAYOUT_CONVERTS_TO_NOTHING: unacceptable('So little is nothing in the other currency.'),
})
