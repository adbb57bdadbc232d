/** The category of an error, from the caller's point of view. http/ maps it to a status. */
export type ErrorKind =
  | 'malformed'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'wrong_method'
  | 'conflict'
  | 'unacceptable'
  | 'insufficient'
  | 'too_many'
  | 'unavailable'
  | 'internal'

export type ErrorDetails = Readonly<Record<string, unknown>>

/** The only error class whose message reaches callers. Any other error is reported as an internal error. */
export class ScripError extends Error {
  override readonly name = 'ScripError'
  readonly code: string
  readonly kind: ErrorKind
  /** Facts for the caller's code. Never secrets: details appear in responses and logs. */
  readonly details: ErrorDetails

  constructor(code: string, kind: ErrorKind, message: string, details: ErrorDetails, cause: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.kind = kind
    this.details = details
  }
}

/** One row of an error table: kind and message. */
const as = (kind: ErrorKind) => (message: string) => ({ kind, message })
export const malformed = as('malformed')
export const unauthenticated = as('unauthenticated')
export const forbidden = as('forbidden')
export const notFound = as('not_found')
export const wrongMethod = as('wrong_method')
export const conflict = as('conflict')
export const unacceptable = as('unacceptable')
export const insufficient = as('insufficient')
export const tooMany = as('too_many')
export const unavailable = as('unavailable')
export const internal = as('internal')

/** All errors of all tables, for the error reference. */
export const errorCatalogue: { code: string; kind: ErrorKind; message: string }[] = []

/** Defines a feature's errors as a table, CODE: conflict('Message.'). The result creates an error by its code. */
export function defineErrors<Code extends string>(table: Record<Code, { kind: ErrorKind; message: string }>) {
  for (const code of Object.keys(table) as Code[]) errorCatalogue.push({ code, ...table[code] })
  return (code: Code, details: ErrorDetails = {}, cause?: unknown): ScripError =>
    new ScripError(code, table[code].kind, table[code].message, details, cause)
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
