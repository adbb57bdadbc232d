import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf, type MerchantCaller, setCaller } from '../http/caller.ts'
import { httpError } from '../http/errors.ts'
import { createLimit, networkOf } from '../http/limit.ts'
import type { Server } from '../http/server.ts'
import { noteAct, recordAct } from '../user/acts.ts'
import { userError } from '../user/errors.ts'
import { findSigned, type ReadSession, refuseTill, type Signed } from '../user/session.ts'
import type { PostTools } from '../ledger/batch.ts'
import type { Authenticate } from './authenticate.ts'
import { merchantError } from './errors.ts'
import { findMembership, tillRoles } from './members.ts'

/** One visitor has a tenth of what the shop itself may ask for in a minute. */
const visitorShare = 10

type GuardTools = PostTools & {
  readonly authenticate: Authenticate
  readonly readSession: ReadSession
  readonly keyRequestsPerMinute: number
}
type Counted = ReturnType<ReturnType<typeof createLimit>['count']>
type Route = FastifyRequest['routeOptions']
/** An endpoint and who may call it. */
export type Access = { method: string; url: string } & Pick<Route['config'], 'credentials' | 'roles'>

/** Stands before every endpoint that is added after it. Returns the table of them, as it grows. */
export function registerGuard({ app }: Server, tools: GuardTools): readonly Access[] {
  const { pool, clock, newId, authenticate, readSession } = tools
  const keys = createLimit(clock, tools.keyRequestsPerMinute, 60_000)
  // A public key is on the shop's page: what one visitor does with it is counted for that visitor, and never for the shop.
  const visitors = createLimit(clock, Math.ceil(tools.keyRequestsPerMinute / visitorShare), 60_000)
  const access: Access[] = []
  const acts = new WeakMap<FastifyRequest, string>()

  app.addHook('onRoute', ({ url, method, config }) => {
    const { credentials, roles } = config ?? {}
    if (credentials === undefined) throw new Error(`The endpoint ${url} does not say which credentials it needs.`)
    if (['public', 'secret', 'member'].includes(credentials) && roles === undefined)
      throw new Error(`The endpoint ${url} does not say which members may.`)
    for (const each of [method].flat())
      if (each !== 'HEAD') access.push({ method: each, url, credentials, ...(roles && { roles }) })
  })

  /** Keys, or a member of the staff who has signed in, of whom we know what he may. */
  async function findMerchantCaller(request: FastifyRequest, needs: 'public' | 'secret' | 'member') {
    const { authorization, origin } = request.headers
    if (needs === 'member' || (authorization === undefined && request.headers['scrip-merchant'] !== undefined))
      return findMember(request)
    const secretKey = request.headers['x-api-private-key']
    const credentials = { authorization, origin, secretKey: typeof secretKey === 'string' ? secretKey : undefined }
    return authenticate(credentials, needs)
  }

  async function findMember(request: FastifyRequest): Promise<MerchantCaller> {
    const { person, tillOf } = await readSession(request, ['staff'])
    const { 'scrip-merchant': code, 'scrip-mode': mode } = request.headers
    if (typeof code !== 'string' || (mode !== 'live' && mode !== 'test')) throw merchantError('MERCHANT_UNNAMED')
    const found = await findMembership(pool, person.id, code, mode)
    if (found === undefined || (tillOf ?? found.merchantId) !== found.merchantId)
      throw merchantError('MERCHANT_NOT_FOUND')
    const { role: own, ...ids } = found
    // A pin gives no more than the person has.
    if (tillOf !== null && !tillRoles.includes(own)) throw merchantError('ROLE_FORBIDDEN')
    const role = tillOf === null ? own : 'cashier'
    const { roles = [] } = request.routeOptions.config
    if (role !== 'owner' && !roles.includes(role)) throw merchantError('ROLE_FORBIDDEN')
    return { ...ids, mode, keyId: person.id, hasSecret: true, memberId: person.id, role }
  }

  app.addHook('onRequest', async (request, reply) => {
    const { credentials: needs = 'none', isSandbox } = request.routeOptions.config
    if (needs === 'none') return
    if (needs === 'person' || needs === 'wallet' || needs === 'operator') {
      const signed = await readSession(request, realmsFor[needs])
      const { person } = signed
      if (needs === 'operator' || request.method !== 'GET') refuseTill(signed)
      if (needs === 'operator' && !person.isOperator) throw userError('OPERATOR_ONLY')
      refuseAbove(keys.count(person.id))
      return
    }
    setCaller(request, await findMerchantCaller(request, needs))
    const { origin } = request.headers
    if (needs === 'public' && origin !== undefined) allowOrigin(reply, origin)
    if (isSandbox === true && callerOf(request).mode === 'live') throw merchantError('SANDBOX_ONLY')
    refuseAbove(countCaller(request))
  })

  function countCaller(request: FastifyRequest): Counted {
    const { keyId, hasSecret } = callerOf(request)
    return hasSecret ? keys.count(keyId) : visitors.count(`${keyId} ${networkOf(request.ip)}`)
  }

  function refuseAbove({ isWithin, secondsLeft }: Counted): void {
    if (!isWithin) throw httpError('RATE_LIMITED', { retryAfterSeconds: secondsLeft })
  }

  // What people and secret keys do is on record. What a public key alone can do shows in transactions and events.
  app.addHook('preHandler', async (request) => {
    if (request.method === 'GET' || request.method === 'HEAD') return
    const signed = findSigned(request)
    if (signed === undefined && request.routeOptions.config.credentials !== 'secret') return
    const id = newId()
    await recordAct(pool, { id, ...actOf(request, signed) }, clock())
    acts.set(request, id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const id = acts.get(request)
    if (id !== undefined) await noteAct(pool, id, reply.statusCode)
  })

  app.options('/*', { config: { credentials: 'none' }, schema: { hide: true } }, (request, reply) => {
    const { origin } = request.headers
    // The pages' own endpoints are for our pages alone.
    if (origin === undefined || !request.url.startsWith('/merchant-integrations')) return reply.code(204).send()
    allowOrigin(reply, origin)
    return (
      reply
        .header('Access-Control-Allow-Methods', 'GET, POST, DELETE')
        // Not the secret key: it does not belong into a browser. Nor what a session needs: that is for our own pages.
        .header('Access-Control-Allow-Headers', 'Authorization, Content-Type, Idempotency-Key')
        .header('Access-Control-Max-Age', '600')
        .code(204)
        .send()
    )
  })
  return access
}

const realmsFor = { person: ['live', 'test', 'staff'], wallet: ['live', 'test'], operator: ['staff'] } as const

function actOf(request: FastifyRequest, signed: Signed | undefined) {
  const { credentials } = request.routeOptions.config
  const isMerchants = credentials === 'public' || credentials === 'secret' || credentials === 'member'
  const caller = isMerchants ? callerOf(request) : undefined
  return {
    userId: signed?.person.id,
    keyId: signed === undefined ? caller?.keyId : undefined,
    merchant: caller && { id: caller.merchantId, mode: caller.mode },
    operation: `${request.method} ${request.routeOptions.url ?? ''}`,
    object: Object.values((request.params ?? {}) as Record<string, string>).join(' '),
    address: request.ip,
  }
}

// A preflight carries no key, so it is answered to everybody; the answer to the call itself is for the key's origins only.
function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.header('Access-Control-Allow-Origin', origin)
  reply.header('Access-Control-Expose-Headers', 'Scrip-Reference-Id, Idempotent-Replayed, X-Request-Id, Retry-After')
  reply.header('Vary', 'Origin')
}
