import type { FastifyRequest } from 'fastify'
import { findCaller } from './caller.ts'
import { traceIdOf } from './trace-requests.ts'

/** What the lines about a request have in common. */
export type LogFields = {
  readonly requestId: string
  /** Undefined for requests without a merchant's credentials. */
  readonly merchant: string | undefined
  /** Undefined for requests that are not traced. */
  readonly traceId: string | undefined
}

export function logFieldsOf(request: FastifyRequest): LogFields {
  return { requestId: request.id, merchant: findCaller(request)?.merchantId, traceId: traceIdOf(request) }
}
