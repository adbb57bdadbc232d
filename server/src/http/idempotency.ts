import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { hasCode } from '../base/errors.ts'
import { httpError } from './errors.ts'

/** The header schema of an endpoint that creates an object once per Idempotency-Key. */
export const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({ description: 'A retry with the same key and body returns the first response and creates nothing' }),
  ),
})

/** Marks the response of an idempotent retry. */
export function markReplayed(reply: FastifyReply, { replayed }: { replayed: boolean }): void {
  if (replayed) reply.header('Idempotent-Replayed', 'true')
}

/** Rethrows an error of a request with an Idempotency-Key. A key of another request is refused with 409. */
export function refuseTakenKey(error: unknown): never {
  if (!hasCode(error, 'LEDGER_KEY_CONFLICT')) throw error
  throw httpError('REFERENCE_TAKEN', { param: 'Idempotency-Key' }, error)
}
