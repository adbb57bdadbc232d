import type { FastifyReply, FastifyRequest } from 'fastify'
import { violates } from '../../base/db.ts'
import { hasCode } from '../../base/errors.ts'
import type { NewId } from '../../base/id.ts'
import { exchangeError } from '../../catalogue/exchange/errors.ts'
import { idempotencyKeyOf } from '../../http/caller.ts'
import { httpError } from '../../http/errors.ts'
import { transactionError } from './errors.ts'
import { referenceForm } from './wire.ts'

/**
 * The reference of a request that moves money: the one in its body, its Idempotency-Key, or a new one. Sets the
 * response header first, so that the client of a failed request knows which reference to retry.
 */
export function takeReference(
  request: FastifyRequest,
  reply: FastifyReply,
  named: string | undefined,
  newId: NewId,
  param = 'referenceId',
): string {
  const reference = named ?? idempotencyKeyOf(request) ?? newId()
  if (!referenceForm.test(reference))
    throw transactionError('REFERENCE_INVALID', { param: named === undefined ? 'Idempotency-Key' : param })
  reply.header('Scrip-Reference-Id', reference)
  return reference
}

/** The ledger key of a reference. One namespace per environment for all kinds of requests. */
export function referenceKey(environmentId: string, reference: string): string {
  return `reference/${environmentId}/${reference}`
}

/** True if another request has the reference: in the ledger, or as a transaction made with the public key. */
export function isTaken(error: unknown): boolean {
  return hasCode(error, 'LEDGER_KEY_CONFLICT') || violates(error, 'transactions_reference')
}

/**
 * Maps ledger errors to API errors: the reference, which the caller sent as `param`, is taken, or the balance of the
 * paying account is too low.
 */
export function toApiError(error: unknown, param: string, tooLow?: (cause: unknown) => Error): unknown {
  if (isTaken(error)) return httpError('REFERENCE_TAKEN', { param }, error)
  if (hasCode(error, 'LEDGER_DESK_LIMIT')) return exchangeError('EXCHANGE_LIMIT_REACHED', {}, error)
  const isTooLow = hasCode(error, 'LEDGER_INSUFFICIENT', 'LEDGER_ACCOUNT_MISSING')
  return isTooLow && tooLow !== undefined ? tooLow(error) : error
}
