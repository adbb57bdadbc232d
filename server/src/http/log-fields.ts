import type { FastifyRequest } from 'fastify'
import { findCaller } from './caller.ts'

/** What the lines about a request have in common. */
export type LogFields = {
  readonly requestId: string
  /** Undefined for requests without a merchant's credentials. */
  readonly merchant: string | undefined
}

export function logFieldsOf(request: FastifyRequest): LogFields {
  return { requestId: request.id, merchant: findCaller(request)?.merchantId }
}
