import { defineErrors } from '../base/errors.ts'

export const payoutError = defineErrors({
  PAYOUT_BALANCE_TOO_LOW: { kind: 'insufficient', message: 'Your balance does not cover this payout.' },
  PAYOUT_ABOVE_CAP: { kind: 'unacceptable', message: 'That is more than you allowed to be paid out in a day.' },
  PAYOUT_NETWORK_UNKNOWN: { kind: 'unacceptable', message: 'There is no such network.' },
  PAYOUT_NOT_FOUND: { kind: 'not_found', message: 'There is no such payout.' },
  PAYOUT_ENDED: { kind: 'conflict', message: 'This payout does not wait for anybody.' },
  PAYOUT_SAME_PERSON: { kind: 'forbidden', message: 'Another person than who asked for it has to approve it.' },
  PAYOUT_CONVERTS_TO_NOTHING: { kind: 'unacceptable', message: 'So little is nothing in the other currency.' },
})
