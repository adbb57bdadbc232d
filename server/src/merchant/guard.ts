import type { FastifyReply } from 'fastify'
import type { Clock } from '../base/clock.ts'
import { callerOf, setCaller } from '../http/caller.ts'
import { httpError } from '../http/errors.ts'
import { createLimit } from '../http/limit.ts'
import type { Server } from '../http/server.ts'
import type { Authenticate } from './authenticate.ts'
import { merchantError } from './errors.ts'

/** Stands before every endpoint that is added after it. */
export function registerGuard(
  { app }: Server,
  authenticate: Authenticate,
  keyRequestsPerMinute: number,
  clock: Clock,
): void {
  const keys = createLimit(clock, keyRequestsPerMinute, 60_000)

  app.addHook('onRoute', ({ url, config }) => {
    if (config?.credentials === undefined)
      throw new Error(`The endpoint ${url} does not say which credentials it needs.`)
  })
  app.addHook('onRequest', async (request, reply) => {
    const needs = request.routeOptions.config.credentials ?? 'none'
    if (needs === 'none') return
    const { authorization, origin } = request.headers
    const secretKey = request.headers['x-api-private-key']
    const credentials = { authorization, origin, secretKey: typeof secretKey === 'string' ? secretKey : undefined }
    setCaller(request, await authenticate(credentials, needs))
    if (needs === 'public' && origin !== undefined) allowOrigin(reply, origin)
    if (request.routeOptions.config.isSandbox === true && callerOf(request).mode === 'live')
      throw merchantError('SANDBOX_ONLY')
    const { isWithin, secondsLeft } = keys.count(callerOf(request).keyId)
    if (!isWithin) throw httpError('RATE_LIMITED', { retryAfterSeconds: secondsLeft })
  })
  app.options('/*', { config: { credentials: 'none' }, schema: { hide: true } }, (request, reply) => {
    const { origin } = request.headers
    // The pages' own endpoints are for our pages alone.
    if (origin === undefined || !request.url.startsWith('/merchant-integrations')) return reply.code(204).send()
    allowOrigin(reply, origin)
    return (
      reply
        .header('Access-Control-Allow-Methods', 'GET, POST, DELETE')
        // Not the secret key: it does not belong into a browser.
        .header('Access-Control-Allow-Headers', 'Authorization, Content-Type, Idempotency-Key')
        .header('Access-Control-Max-Age', '600')
        .code(204)
        .send()
    )
  })
}

// A preflight carries no key, so it is answered to everybody; the answer to the call itself is for the key's origins only.
function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.header('Access-Control-Allow-Origin', origin)
  reply.header('Access-Control-Expose-Headers', 'Scrip-Reference-Id, Idempotent-Replayed, X-Request-Id, Retry-After')
  reply.header('Vary', 'Origin')
}
