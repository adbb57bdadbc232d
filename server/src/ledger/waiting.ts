import { dbError } from '../base/db.ts'
import type { Journal, Posted } from './journal.ts'
import type { JournalTrace } from './trace-journal.ts'

/** A journal whose caller waits for the result. */
export type Waiting = {
  readonly journal: Journal
  readonly resolve: (posted: Posted) => void
  readonly reject: (error: unknown) => void
  readonly deadlineMs: number
  /** A COMMIT of this journal got no response: the outcome stays unknown until a later attempt finds the key. */
  isDoubted: boolean
  /** It waits for a name that another transaction has not committed, and is posted alone. */
  isLoner: boolean
  /** Of a traced request. */
  readonly trace: JournalTrace | undefined
}

/** Rejects a journal. If an earlier COMMIT of it got no response, the error is OUTCOME_UNKNOWN. */
export function fail(waiting: Waiting, error: unknown): void {
  waiting.reject(waiting.isDoubted ? dbError('OUTCOME_UNKNOWN', {}, error) : error)
}

/** Rejects the journals whose deadline has passed and returns the others. */
export function failLate(batch: readonly Waiting[], nowMs: number, error: unknown): Waiting[] {
  return batch.filter((waiting) => {
    if (nowMs <= waiting.deadlineMs) return true
    fail(waiting, error)
    return false
  })
}
