import Type, { type TSchema } from 'typebox'
import type { ErrorKind, ScripError } from '../base/errors.ts'

/** The one place that maps what went wrong to a status. */
export const statusOf: Record<ErrorKind, number> = {
  malformed: 400,
  unauthenticated: 401,
  insufficient: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  unacceptable: 422,
  too_many: 429,
  internal: 500,
  unavailable: 503,
}

type Envelope<Data> = { message: string; code: 200; status: 'success'; data: Data }

export function answer<Data>(message: string, data: Data): Envelope<Data> {
  return { message, code: 200, status: 'success', data }
}

/** An answer with nothing to tell but that it worked. */
export function acknowledge(message: string): Omit<Envelope<never>, 'data'> {
  return { message, code: 200, status: 'success' }
}

export const acknowledged = Type.Object({
  message: Type.String(),
  code: Type.Literal(200),
  status: Type.Literal('success'),
})

/** The schema of an answer that carries this. */
export function enveloped(data: TSchema): TSchema {
  return Type.Object({ message: Type.String(), code: Type.Literal(200), status: Type.Literal('success'), data })
}

export function failure(error: ScripError, requestId: string) {
  // What the ledger knows of its accounts is not for callers. A use case tells in words of its own what they may know.
  const { param, ...facts } = error.code.startsWith('LEDGER_') ? {} : error.details
  return {
    message: error.message,
    code: statusOf[error.kind],
    status: 'error' as const,
    error: {
      type: error.kind,
      code: error.code,
      param: typeof param === 'string' ? param : '',
      requestId,
      doc: `/docs/errors#${error.code.toLowerCase().replaceAll('_', '-')}`,
      ...facts,
    },
  }
}
