import type { FastifyReply, FastifyRequest } from 'fastify'
import { violates } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import type { NewId } from '../base/id.ts'
import { exchangeError } from '../exchange/errors.ts'
import { idempotencyKeyOf } from '../http/caller.ts'
import { transactionError } from './errors.ts'

const form = /^[A-Za-z0-9._~-]{1,128}$/

/**
 * The reference of a request that moves money: the one it names, or its Idempotency-Key, or a new one. It is told in a
 * header before anything else is looked at, so that a caller whose request fails on the way knows what to ask for again.
 */
export function takeReference(
  request: FastifyRequest,
  reply: FastifyReply,
  named: string | undefined,
  newId: NewId,
  param = 'referenceId',
): string {
  const reference = named ?? idempotencyKeyOf(request) ?? newId()
  if (!form.test(reference))
    throw transactionError('REFERENCE_INVALID', { param: named === undefined ? 'Idempotency-Key' : param })
  reply.header('Scrip-Reference-Id', reference)
  return reference
}

/** A repeat answers as the first did, and says so. */
export function tellReplayed(reply: FastifyReply, { replayed }: { replayed: boolean }): void {
  if (replayed) reply.header('Idempotent-Replayed', 'true')
}

/** One name space for all that a merchant's environment refers to: a reference means one thing for ever. */
export function referenceKey(environmentId: string, reference: string): string {
  return `reference/${environmentId}/${reference}`
}

/** Another request has this reference: in the ledger, or as a transaction that a visitor made with the public key. */
export function isTaken(error: unknown): boolean {
  return hasCode(error, 'LEDGER_KEY_CONFLICT') || violates(error, 'transactions_reference')
}

/**
 * What the ledger refused, in the words of who asked: his reference, which he calls `param`, stands for something else, or there is too
 * little where the money comes from.
 */
export function retell(error: unknown, param: string, tooLow?: (cause: unknown) => Error): unknown {
  if (isTaken(error)) return transactionError('REFERENCE_TAKEN', { param }, error)
  if (hasCode(error, 'LEDGER_DESK_LIMIT')) return exchangeError('EXCHANGE_LIMIT_REACHED', {}, error)
  const isTooLow = hasCode(error, 'LEDGER_INSUFFICIENT', 'LEDGER_ACCOUNT_MISSING')
  return isTooLow && tooLow !== undefined ? tooLow(error) : error
}
