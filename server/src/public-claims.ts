import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { inTransaction, type Tx } from './base/db.ts'
import { actFor } from './base/environment.ts'
import { hasCode } from './base/errors.ts'
import { cancelUnpaidDeposit } from './payments/deposit/cancel.ts'
import { callerOf } from './http/caller.ts'
import type { Server } from './http/server.ts'
import type { PostTools } from './ledger/batch.ts'
import { type AnswerTools, cancelUnpaidRequest } from './payments/request/answer-payment.ts'
import { lockClaim, renameTransaction } from './payments/transaction/claim.ts'

type ClaimTools = PostTools & AnswerTools

/**
 * A visitor with the public key can take a reference that the shop wants to use. If that makes the shop's own request
 * fail, the visitor's claim is canceled and renamed in one commit, and the request runs again. A claim with a payment
 * keeps its reference.
 */
export function registerPublicClaims({ app }: Server, tools: ClaimTools): void {
  app.addHook('onRoute', (route: RouteOptions) => {
    if (route.method !== 'POST' || !['public', 'secret'].includes(route.config?.credentials ?? '')) return
    const { handler } = route
    route.handler = async function (request, reply): Promise<unknown> {
      try {
        return await handler.call(this, request, reply)
      } catch (error) {
        if (!hasCode(error, 'REFERENCE_TAKEN') || !(await releaseClaim(tools, request, reply))) throw error
        return handler.call(this, request, reply)
      }
    }
  })
}

/** Returns whether the request may succeed now, because this or a concurrent request has freed its reference. */
async function releaseClaim(tools: ClaimTools, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const { environmentId, hasSecret } = callerOf(request)
  const reference = reply.getHeader('Scrip-Reference-Id')
  if (!hasSecret || typeof reference !== 'string') return false
  return inTransaction(tools.pool, async (tx) => {
    await actFor(tx, environmentId)
    const claim = await lockClaim(tx, environmentId, reference)
    if (claim === undefined) return true
    await renameTransaction(tx, environmentId, claim)
    const isWithoutValue = await cancelClaim(tools, tx, claim)
    // Throw to roll back the new name, too.
    if (!isWithoutValue) throw new ClaimHasValue()
    return true
  }).catch((error: unknown) => {
    if (error instanceof ClaimHasValue) return false
    throw error
  })
}

class ClaimHasValue extends Error {}

/** Returns false if the claim has a payment, confirmed or not. */
function cancelClaim(
  tools: ClaimTools,
  tx: Tx,
  { id, type }: { readonly id: string; readonly type: string },
): Promise<boolean> {
  if (type === 'PAYMENT_REQUEST') return cancelUnpaidRequest(tools, tx, id)
  if (type === 'WALLET_DEPOSIT') return cancelUnpaidDeposit(tools, tx, id)
  return Promise.resolve(false)
}
