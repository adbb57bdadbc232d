import { conflict, defineErrors, insufficient, internal, notFound, unavailable } from '../base/errors.ts'

export const ledgerError = defineErrors({
  LEDGER_KEY_CONFLICT: conflict('This reference was already used for a different request.'),
  LEDGER_INSUFFICIENT: insufficient('The account balance is too low.'),
  LEDGER_ACCOUNT_MISSING: notFound('The ledger account does not exist.'),
  LEDGER_ACCOUNT_CLOSED: conflict('The account is closed.'),
  LEDGER_ACCOUNT_NO_DEBIT: conflict('The account does not allow debits at the moment.'),
  LEDGER_HOLD_MISSING: notFound('The account has no such hold.'),
  LEDGER_HOLD_EXISTS: conflict('The hold already exists.'),
  LEDGER_HOLD_DEAD: conflict('The hold has been used, released or has expired.'),
  LEDGER_HOLD_TOO_SMALL: insufficient('The hold reserves less than this amount.'),
  LEDGER_DESK_LIMIT: conflict('The exchange desk has reached its limit.'),
  LEDGER_BUSY: unavailable('Another transaction holds the account. Nothing was posted; retry.'),
  LEDGER_UNAVAILABLE: unavailable('The database cannot be reached. Nothing was posted; retry.'),
  LEDGER_JOURNAL_INVALID: internal('The journal is not valid.'),
})
