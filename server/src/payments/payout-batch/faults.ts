/** Why a row is not paid, for a reader of the result. */
export const rowFaults = {
  AMOUNT_INVALID: 'Enter an amount such as 12.50, with at most as many decimals as the currency has.',
  AMOUNT_OUT_OF_RANGE: 'The amount is zero, below the minimum of the currency or above its maximum.',
  CURRENCY_UNKNOWN: 'There is no currency with this code.',
  CURRENCY_OTHER: 'All rows of a file are paid in one currency. Put this row in a file of its currency.',
  RECIPIENT_MISSING: 'Enter a username, an email address or a phone number.',
  RECIPIENT_UNKNOWN: 'No user found.',
  REFERENCE_INVALID: 'A reference has at most 128 letters, digits, dots, dashes, underscores and tildes.',
  REFERENCE_DOUBLED: 'An earlier row of the file has this reference.',
  REFERENCE_TAKEN: 'You have already used this reference.',
  ROW_DOUBLED: 'An earlier row pays this recipient the same amount. To pay both, give each a reference.',
  NOTE_TOO_LONG: 'A note has at most 200 characters.',
  ABOVE_DAILY: 'This row alone exceeds what may leave your balance in 24 hours.',
  RECIPIENT_GONE: 'The user can no longer receive payouts.',
} as const
export type RowFault = keyof typeof rowFaults
export const rowFaultNames = Object.keys(rowFaults) as [RowFault, ...RowFault[]]
