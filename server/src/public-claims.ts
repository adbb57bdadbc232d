import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { inTransaction, type Tx } from './base/db.ts'
import { actFor } from './base/environment.ts'
import { hasCode } from './base/errors.ts'
import { cancelUnpaidDeposit } from './deposit/cancel.ts'
import { callerOf } from './http/caller.ts'
import type { Server } from './http/server.ts'
import type { PostTools } from './ledger/batch.ts'
import { type AnswerTools, cancelUnpaidRequest } from './payment/answer-payment.ts'
import { lockClaim, renameTransaction } from './transaction/claim.ts'

type ClaimTools = PostTools & AnswerTools

/**
 * A visitor can take the shop's next reference with the public key. When the shop's own request is refused for that, the visitor's claim
 * is cancelled and renamed in one commit, and the request runs again. What has received value, or is receiving it, keeps its name.
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

/** Returns whether the reference that the request names may be free now, by this or by another request at the same time. */
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
    // Thrown, so that the new name is taken back too.
    if (!isWithoutValue) throw new ClaimHasValue()
    return true
  }).catch((error: unknown) => {
    if (error instanceof ClaimHasValue) return false
    throw error
  })
}

class ClaimHasValue extends Error {}

/** Returns false if the claim has received value, or is receiving it. */
function cancelClaim(
  tools: ClaimTools,
  tx: Tx,
  { id, type }: { readonly id: string; readonly type: string },
): Promise<boolean> {
  if (type === 'PAYMENT_REQUEST') return cancelUnpaidRequest(tools, tx, id)
  if (type === 'WALLET_DEPOSIT') return cancelUnpaidDeposit(tools, tx, id)
  return Promise.resolve(false)
}
