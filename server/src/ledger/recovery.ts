import { hasCode } from '../base/errors.ts'
import { isRaceForName, NameBusy } from './batch.ts'

/** What to do after PostgreSQL did not commit a batch, or did not say that it did. */
export type Recovery =
  /** The connection or the server is lost: queue the journals again for a new connection. */
  | 'reconnect'
  /** An account was not unlocked in time: find it, and let its journals wait for it apart from the others. */
  | 'set aside'
  /** A name was not committed in time: post the halves of the batch, until the journal that needs it is alone, and let it wait. */
  | 'isolate'
  /** Another transaction was in the way: the same batch succeeds in another attempt. */
  | 'repeat'
  /** PostgreSQL rolled back because of one journal: post the halves of the batch, until that journal is alone. */
  | 'halve'

const attemptsMax = 5

/** Decides by the error of a batch how to go on. Pure. */
export function recoveryOf(error: unknown, attempt: number): Recovery {
  // 25006: our primary has become a standby.
  if (isOutcomeUnknown(error) || hasCode(error, 'LEDGER_UNAVAILABLE', '25006')) return 'reconnect'
  if (hasCode(error, '55P03')) return 'set aside'
  if (error instanceof NameBusy) return 'isolate'
  const isWorthRepeating = isDeadlock(error) || hasCode(error, '40001') || isRaceForName(error)
  return isWorthRepeating && attempt < attemptsMax ? 'repeat' : 'halve'
}

/** Whether COMMIT got no response. */
export function isOutcomeUnknown(error: unknown): boolean {
  return hasCode(error, 'OUTCOME_UNKNOWN')
}

export function isDeadlock(error: unknown): boolean {
  return hasCode(error, '40P01')
}
