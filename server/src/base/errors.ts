/** What went wrong, seen from the caller. One place (http/) maps a kind to a status. */
export type ErrorKind =
  | 'malformed'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'unacceptable'
  | 'insufficient'
  | 'too_many'
  | 'unavailable'
  | 'internal'

export type ErrorDetails = Readonly<Record<string, unknown>>

/** The one error class that a caller may be shown. Everything else is a fault of ours and is told as such. */
export class ScripError extends Error {
  override readonly name = 'ScripError'
  readonly code: string
  readonly kind: ErrorKind
  /** Facts for the caller's code. Never a secret: details reach answers and logs. */
  readonly details: ErrorDetails

  constructor(code: string, kind: ErrorKind, message: string, details: ErrorDetails, cause: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.kind = kind
    this.details = details
  }
}

/** A row of a table of errors: its kind, with its message. */
const as = (kind: ErrorKind) => (message: string) => ({ kind, message })
export const malformed = as('malformed')
export const unauthenticated = as('unauthenticated')
export const forbidden = as('forbidden')
export const notFound = as('not_found')
export const conflict = as('conflict')
export const unacceptable = as('unacceptable')
export const insufficient = as('insufficient')
export const tooMany = as('too_many')
export const unavailable = as('unavailable')
export const internal = as('internal')

/** Every error of every table, for the catalogue that the reference shows. */
export const errorCatalogue: { code: string; kind: ErrorKind; message: string }[] = []

/** A feature's errors as a table: CODE: conflict('Message.'). The result makes an error of the table, to be thrown. */
export function defineErrors<Code extends string>(table: Record<Code, { kind: ErrorKind; message: string }>) {
  for (const code of Object.keys(table) as Code[]) errorCatalogue.push({ code, ...table[code] })
  return (code: Code, details: ErrorDetails = {}, cause?: unknown): ScripError =>
    new ScripError(code, table[code].kind, table[code].message, details, cause)
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
