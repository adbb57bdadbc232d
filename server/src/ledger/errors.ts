import { defineErrors } from '../base/errors.ts'

export const ledgerError = defineErrors({
  LEDGER_KEY_CONFLICT: { kind: 'conflict', message: 'This reference was used before, for something else.' },
  LEDGER_INSUFFICIENT: { kind: 'insufficient', message: 'The account does not hold that much.' },
  LEDGER_ACCOUNT_MISSING: { kind: 'not_found', message: 'There is no such account.' },
  LEDGER_ACCOUNT_CLOSED: { kind: 'conflict', message: 'The account is closed.' },
  LEDGER_ACCOUNT_NO_DEBIT: { kind: 'conflict', message: 'Nothing may be taken from the account at present.' },
  LEDGER_HOLD_MISSING: { kind: 'not_found', message: 'There is no such hold on the account.' },
  LEDGER_HOLD_EXISTS: { kind: 'conflict', message: 'The hold was made before.' },
  LEDGER_HOLD_DEAD: { kind: 'conflict', message: 'The hold is used up, released or past its time.' },
  LEDGER_HOLD_TOO_SMALL: { kind: 'insufficient', message: 'The hold does not reserve that much.' },
  LEDGER_BUSY: {
    kind: 'unavailable',
    message: 'The account is locked by somebody else. Nothing was posted; ask again.',
  },
  LEDGER_UNAVAILABLE: {
    kind: 'unavailable',
    message: 'The database cannot be reached. Nothing was posted; ask again.',
  },
  LEDGER_JOURNAL_INVALID: { kind: 'internal', message: 'The journal could never be posted.' },
})
