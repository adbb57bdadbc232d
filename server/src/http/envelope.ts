import Type, { type TLiteral, type TObject, type TSchema, type TString } from 'typebox'
import type { ErrorDetails, ErrorKind, ScripError } from '../base/errors.ts'
import { named } from './schema.ts'

/** Maps each kind of error to its HTTP status. */
export const statusOf: Record<ErrorKind, number> = {
  malformed: 400,
  unauthenticated: 401,
  insufficient: 402,
  forbidden: 403,
  not_found: 404,
  wrong_method: 405,
  conflict: 409,
  unacceptable: 422,
  too_many: 429,
  internal: 500,
  unavailable: 503,
}

type Envelope<Data> = { message: string; code: 200; status: 'success'; data: Data }

export function answer<const Data>(message: string, data: Data): Envelope<Data> {
  return { message, code: 200, status: 'success', data }
}

/** A successful response without data. */
type Acknowledgement = Omit<Envelope<never>, 'data'> & { data?: never }

export function acknowledge(message: string): Acknowledgement {
  return { message, code: 200, status: 'success' }
}

export const acknowledged = Type.Unsafe<Acknowledgement>(
  named('Acknowledgement', { message: Type.String(), code: Type.Literal(200), status: Type.Literal('success') }),
)

type TEnvelope<Data extends TSchema> = TObject<{
  message: TString
  code: TLiteral<200>
  status: TLiteral<'success'>
  data: Data
}>

/** The response schema of an envelope with this data. */
export function enveloped<Data extends TSchema>(data: Data): TEnvelope<Data> {
  return Type.Object({ message: Type.String(), code: Type.Literal(200), status: Type.Literal('success'), data })
}

type Failure = {
  readonly message: string
  readonly code: number
  readonly status: 'error'
  readonly error: {
    readonly type: ErrorKind
    readonly code: string
    readonly param: string
    readonly requestId: string
    readonly doc: string
  } & ErrorDetails
}

export function failure(error: ScripError, requestId: string): Failure {
  // Details of ledger errors name accounts and are not for callers. Use cases add what callers may know.
  const { param, ...facts } = error.code.startsWith('LEDGER_') ? {} : error.details
  return {
    message: error.message,
    code: statusOf[error.kind],
    status: 'error',
    error: {
      type: error.kind,
      code: error.code,
      param: typeof param === 'string' ? param : '',
      requestId,
      doc: errorPageOf(error.code),
      ...facts,
    },
  }
}

/** The address of the page about an error, relative to the base URL. */
export function errorPageOf(code: string): string {
  return `/docs/errors/${slugOf(code)}`
}

export function slugOf(code: string): string {
  return code.toLowerCase().replaceAll('_', '-')
}
