import { defineErrors } from '../base/errors.ts'

export const walletError = defineErrors({
  WALLET_TOO_LOW: { kind: 'insufficient', message: 'There is not that much in this wallet.' },
  WALLET_LIMIT: { kind: 'unacceptable', message: 'That is more than may leave your wallet in a day.' },
  WALLET_QUOTE_STALE: { kind: 'conflict', message: 'The rate was kept for a while, and that is over. Look again.' },
  WALLET_SELF: { kind: 'unacceptable', message: 'That is your own wallet.' },
  WALLET_SAME_CURRENCY: { kind: 'unacceptable', message: 'Name two currencies.' },
  AMOUNT_CONVERTS_TO_NOTHING: { kind: 'unacceptable', message: 'So little is nothing in the other currency.' },
})
