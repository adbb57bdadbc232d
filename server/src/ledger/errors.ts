import { conflict, defineErrors, insufficient, internal, notFound, ScripError, unavailable } from '../base/errors.ts'
import type { Account } from './account.ts'

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

type RefusalFacts = {
  /** The account that the rule is about. */
  readonly account: Account
  /** What the account has, or the hold, and what the posting needs, if that is more. */
  readonly available?: bigint
  readonly remaining?: bigint
  readonly needed?: bigint
}

/** A rule of the ledger refuses a journal because of an account. */
export class LedgerRefusal extends ScripError {
  readonly facts: RefusalFacts

  constructor(code: Parameters<typeof ledgerError>[0], facts: RefusalFacts) {
    const { kind, message } = ledgerError(code)
    super(code, kind, message, {}, undefined)
    this.facts = facts
  }
}
