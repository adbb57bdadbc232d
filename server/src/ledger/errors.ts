import { conflict, defineErrors, insufficient, internal, notFound, unavailable } from '../base/errors.ts'

export const ledgerError = defineErrors({
  LEDGER_KEY_CONFLICT: conflict('This reference was used before, for something else.'),
  LEDGER_INSUFFICIENT: insufficient('The account does not hold that much.'),
  LEDGER_ACCOUNT_MISSING: notFound('There is no such account.'),
  LEDGER_ACCOUNT_CLOSED: conflict('The account is closed.'),
  LEDGER_ACCOUNT_NO_DEBIT: conflict('Nothing may be taken from the account at present.'),
  LEDGER_HOLD_MISSING: notFound('There is no such hold on the account.'),
  LEDGER_HOLD_EXISTS: conflict('The hold was made before.'),
  LEDGER_HOLD_DEAD: conflict('The hold is used up, released or past its time.'),
  LEDGER_HOLD_TOO_SMALL: insufficient('The hold does not reserve that much.'),
  LEDGER_DESK_LIMIT: conflict('The exchange desk may not owe more than its limit.'),
  LEDGER_BUSY: unavailable('The account is locked by somebody else. Nothing was posted; ask again.'),
  LEDGER_UNAVAILABLE: unavailable('The database cannot be reached. Nothing was posted; ask again.'),
  LEDGER_JOURNAL_INVALID: internal('The journal could never be posted.'),
})
