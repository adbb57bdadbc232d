import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf, type MerchantCaller, setCaller, setRefusedKey } from '../../http/caller.ts'
import { type CreateLimit, type Limit, networkOf, refuseAbove, type Verdict } from '../../http/limit.ts'
import type { Server } from '../../http/server.ts'
import { type Act, noteAct, recordAct } from '../user/acts.ts'
import { userError } from '../user/errors.ts'
import { hasSecondFactor, mustHaveSecondFactor } from '../user/second-factor.ts'
import { findSigned, type ReadSession, refuseTill, type Signed } from '../user/session.ts'
import type { PostTools } from '../../ledger/batch.ts'
import type { Authenticate } from './authenticate.ts'
import { merchantError } from './errors.ts'
import { findMembership, noteSeen, tillRoles } from './members.ts'

/** A visitor may make a tenth of the requests per minute that the shop itself may make. */
const visitorShare = 10

type GuardTools = PostTools & {
  readonly authenticate: Authenticate
  readonly readSession: ReadSession
  readonly createLimit: CreateLimit
  readonly keyRequestsPerMinute: number
}
type Guard = GuardTools & { readonly keys: Limit; readonly visitors: Limit }
type Route = FastifyRequest['routeOptions']
/** An endpoint and who may call it. */
export type Access = { method: string; url: string } & Pick<Route['config'], 'credentials' | 'roles'>

/** Checks credentials, roles and limits for all endpoints added afterwards. Returns the list of them, which grows. */
export function registerGuard({ app }: Server, tools: GuardTools): readonly Access[] {
  const keys = tools.createLimit('key', tools.keyRequestsPerMinute, 60_000, 'afterwards')
  // A public key is visible on the shop's page, so requests with it count for the visitor and not for the shop.
  const visitorMax = Math.ceil(tools.keyRequestsPerMinute / visitorShare)
  const visitors = tools.createLimit('visitor', visitorMax, 60_000, 'afterwards')
  const guard: Guard = { ...tools, keys, visitors }
  const access = listAccess(app)
  app.addHook('onRequest', (request, reply) => checkCaller(guard, request, reply))
  recordActs(app, guard)
  answerPreflights(app)
  return access
}

/** Collects all endpoints. Throws if one does not declare its credentials or roles. */
function listAccess(app: Server['app']): readonly Access[] {
  const access: Access[] = []
  app.addHook('onRoute', ({ url, method, config }) => {
    const { credentials, roles } = config ?? {}
    if (credentials === undefined) throw new Error(`The endpoint ${url} does not declare its credentials.`)
    if (['public', 'secret', 'member'].includes(credentials) && roles === undefined)
      throw new Error(`The endpoint ${url} does not declare its roles.`)
    for (const each of [method].flat())
      if (each !== 'HEAD') access.push({ method: each, url, credentials, ...(roles && { roles }) })
  })
  return access
}

async function checkCaller(guard: Guard, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { credentials: needs = 'none', isSandbox } = request.routeOptions.config
  if (needs === 'none') return
  if (needs === 'user' || needs === 'wallet' || needs === 'operator') {
    const signed = await guard.readSession(request, realmsFor[needs])
    const { user } = signed
    if (needs === 'operator' || request.method !== 'GET') refuseTill(signed)
    if (needs === 'operator' && !user.isOperator) throw userError('OPERATOR_ONLY')
    if (needs === 'operator' && !hasSecondFactor(signed)) throw userError('SECOND_FACTOR_REQUIRED')
    refuseAbove(await guard.keys.count(user.id))
    return
  }
  setCaller(request, await findMerchantCaller(guard, request, needs))
  const { origin } = request.headers
  if (needs === 'public' && origin !== undefined) allowOrigin(reply, origin)
  if (isSandbox === true && callerOf(request).mode === 'live') throw merchantError('SANDBOX_ONLY')
  refuseAbove(await countCaller(guard, request))
}

/** Authenticates by keys, or by the session of a staff member. */
async function findMerchantCaller(
  guard: Guard,
  request: FastifyRequest,
  needs: 'public' | 'secret' | 'member',
): Promise<MerchantCaller> {
  const { authorization, origin } = request.headers
  if (needs === 'member' || (authorization === undefined && request.headers['scrip-merchant'] !== undefined))
    return findMember(guard, request)
  const secretKey = request.headers['x-api-private-key']
  const credentials = { authorization, origin, secretKey: typeof secretKey === 'string' ? secretKey : undefined }
  return guard.authenticate(credentials, needs, (key) => setRefusedKey(request, key))
}

async function findMember({ pool, clock, readSession }: Guard, request: FastifyRequest): Promise<MerchantCaller> {
  const signed = await readSession(request, ['staff'])
  const { user, tillOf } = signed
  const { 'scrip-merchant': code, 'scrip-mode': mode } = request.headers
  if (typeof code !== 'string' || (mode !== 'live' && mode !== 'test')) throw merchantError('MERCHANT_UNNAMED')
  const found = await findMembership(pool, user.id, code, mode)
  if (found === undefined || (tillOf ?? found.merchantId) !== found.merchantId)
    throw merchantError('MERCHANT_NOT_FOUND')
  const { merchantId, environmentId, role: own } = found
  // A till session never allows more than the user's own role.
  if (tillOf !== null && !tillRoles.includes(own)) throw merchantError('ROLE_FORBIDDEN')
  const role = tillOf === null ? own : 'cashier'
  const { roles = [] } = request.routeOptions.config
  if (role !== 'owner' && !roles.includes(role)) throw merchantError('ROLE_FORBIDDEN')
  if (role === 'owner' && !hasSecondFactor(signed)) {
    const isNeeded = mode === 'live' || (await mustHaveSecondFactor(pool, user, clock()))
    if (isNeeded) throw userError('SECOND_FACTOR_REQUIRED')
  }
  await noteSeen(pool, found, user.id, clock())
  return { merchantId, environmentId, mode, keyId: user.id, hasSecret: true, memberId: user.id, role }
}

function countCaller({ keys, visitors }: Guard, request: FastifyRequest): Promise<Verdict> {
  const { keyId, hasSecret } = callerOf(request)
  return hasSecret ? keys.count(keyId) : visitors.count(`${keyId} ${networkOf(request.ip)}`)
}

/**
 * Records the actions of users and secret keys in the audit log, and reads that show voucher codes. Actions with a public key alone
 * appear in transactions and events.
 */
function recordActs(app: Server['app'], { pool, clock, newId }: Guard): void {
  const acts = new WeakMap<FastifyRequest, string>()
  app.addHook('preHandler', async (request) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead && request.routeOptions.config.showsCodes !== true) return
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
}

function answerPreflights(app: Server['app']): void {
  app.options('/*', { config: { credentials: 'none' }, schema: { hide: true } }, (request, reply) => {
    const { origin } = request.headers
    // Endpoints of our own pages are not available to other origins.
    if (origin === undefined || !request.url.startsWith('/merchant-integrations')) return reply.code(204).send()
    allowOrigin(reply, origin)
    return (
      reply
        .header('Access-Control-Allow-Methods', 'GET, POST, DELETE')
        // Neither the secret key, which must not be used in a browser, nor the headers of sessions.
        .header('Access-Control-Allow-Headers', 'Authorization, Content-Type, Idempotency-Key')
        .header('Access-Control-Max-Age', '600')
        .code(204)
        .send()
    )
  })
}

const realmsFor = { user: ['live', 'test', 'staff'], wallet: ['live', 'test'], operator: ['staff'] } as const

function actOf(request: FastifyRequest, signed: Signed | undefined): Omit<Act, 'id'> {
  const { credentials, namedInActs = [] } = request.routeOptions.config
  const hasMerchant = credentials === 'public' || credentials === 'secret' || credentials === 'member'
  const caller = hasMerchant ? callerOf(request) : undefined
  // The body was checked before: these fields are short texts.
  const body = (request.body ?? {}) as Readonly<Record<string, string>>
  const named = namedInActs.map((field) => body[field] ?? '')
  return {
    userId: signed?.user.id,
    keyId: signed === undefined ? caller?.keyId : undefined,
    merchant: caller && { id: caller.merchantId, mode: caller.mode },
    operation: `${request.method} ${request.routeOptions.url ?? ''}`,
    object: [...Object.values((request.params ?? {}) as Record<string, string>), ...named].join(' '),
    address: request.ip,
  }
}

// Preflights carry no key, so all origins are allowed there. The request itself is allowed only for the key's origins.
function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.header('Access-Control-Allow-Origin', origin)
  reply.header('Access-Control-Expose-Headers', 'Scrip-Reference-Id, Idempotent-Replayed, X-Request-Id, Retry-After')
  reply.header('Vary', 'Origin')
}
