// What fails over and over is logged once with its cause, then counted, then logged once when it works again.
import type { Log } from './log.ts'

/** Something that can fail for a while. */
export type Subject = {
  /** How the last line begins: "The database is back after 12 s, 34 failures." */
  readonly name: string
  /** The first line: what fails, and what that means. */
  readonly failing: string
  readonly level?: 'warn' | 'error'
}

type Outage = {
  readonly subject: Subject
  readonly fields: object
  readonly sinceMs: number
  failures: number
  failedMs: number
  /** The first success after the last failure. */
  workedMs: number | undefined
}

export const database: Subject = {
  name: 'The database',
  failing: 'The database does not respond. This process is not ready.',
}

// Something that works now and then is one outage. It is over when it has not failed for this long.
const quietMs = 3_000
// Names of push services come from browsers: their number must not grow for ever.
const outagesMax = 1_000

/** The outages of a process, which has one log. */
const outagesOf = new WeakMap<Log, Map<string, Outage>>()
/** Errors that a line or a count is about. What they caused elsewhere is not logged again. */
const noted = new WeakSet<Error>()

/** Logs the first failure of the subject and counts the others. */
export function noteFailure(log: Log, subject: Subject, error: unknown, fields: object = {}): void {
  const outages = outagesOf.get(log) ?? new Map<string, Outage>()
  outagesOf.set(log, outages)
  if (subject !== database && isOf(error, (each) => isDatabaseAway(each, outages.has(database.name)))) {
    noteFailure(log, database, error)
    return
  }
  if (isOf(error, (each) => noted.has(each))) return
  if (error instanceof Error) noted.add(error)
  const nowMs = performance.now()
  const outage = outages.get(subject.name)
  if (outage !== undefined) {
    outage.failures++
    outage.failedMs = nowMs
    outage.workedMs = undefined
    return
  }
  const [oldest] = outages.keys()
  if (outages.size >= outagesMax && oldest !== undefined) outages.delete(oldest)
  outages.set(subject.name, { subject, fields, sinceMs: nowMs, failures: 1, failedMs: nowMs, workedMs: undefined })
  log[subject.level ?? 'warn']({ err: error, ...fields }, subject.failing)
}

/** Logs the end of an outage of the subject, if there was one. */
export function noteSuccess(log: Log, { name }: Pick<Subject, 'name'>): void {
  const outages = outagesOf.get(log)
  const outage = outages?.get(name)
  if (outages === undefined || outage === undefined) return
  const nowMs = performance.now()
  outage.workedMs ??= nowMs
  if (nowMs - outage.failedMs < quietMs) return
  outages.delete(name)
  const { failures, fields } = outage
  const seconds = Math.round((outage.workedMs - outage.sinceMs) / 1_000)
  const counted = failures === 1 ? '1 failure' : `${failures} failures`
  log.warn({ ...fields, seconds, failures }, `${name} is back after ${seconds} s, ${counted}.`)
}

/** Whether this is true of the error, of its cause, or of every part of it. */
function isOf(error: unknown, holds: (error: Error) => boolean): boolean {
  if (!(error instanceof Error)) return false
  if (holds(error)) return true
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every((each: unknown) => isOf(each, holds))
  return error.cause !== undefined && isOf(error.cause, holds)
}

/** Whether the connection to PostgreSQL failed or ended. A slow statement counts only while the database is known to be away. */
function isDatabaseAway(error: Error, isKnown: boolean): boolean {
  const code = 'code' in error ? String(error.code) : ''
  if (/^(57P0.|08...|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN)$/.test(code)) return true
  if (/Connection terminated|not queryable/.test(error.message)) return true
  return isKnown && /read timeout|timeout exceeded|timeout expired/.test(error.message)
}
