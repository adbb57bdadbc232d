import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { ErrorObject } from 'ajv'
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import { ScripError } from '../base/errors.ts'
import type { NewId } from '../base/id.ts'
import type { Log } from '../base/log.ts'
import { failure, statusOf } from './envelope.ts'
import { httpError } from './errors.ts'
import { describeFaults } from './faults.ts'
import { parseExactJson } from './exact-json.ts'
import { logFieldsOf } from './log-fields.ts'
import { type Limits, networkOf, refuseAbove } from './limit.ts'
import { openapi } from './openapi.ts'
import { type Metrics, recordMetrics } from './metrics.ts'
import { traceRequests } from './trace-requests.ts'
import { compileSchema, dropEmptyOptionals, fieldInvalid } from './validation.ts'

export type ServerOptions = {
  readonly log: Log
  readonly newId: NewId
  readonly limits: Limits
  /** How many proxies in front of us are trusted to forward the client's address. */
  readonly proxies: number
  readonly requestsPerMinute: number
  /** The webhooks of the OpenAPI document. */
  readonly webhooks: Record<string, object>
  /** Adds to the OpenAPI document what the routes do not know. */
  readonly completeDocument?: (document: object) => object
  /** Throws if requests cannot be served, for instance because the database does not respond. */
  readonly checkReady: () => Promise<void>
}

type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export type Server = {
  readonly app: App
  readonly metrics: Metrics
  /** Completes the requests that have reached a handler, refuses new ones, then closes. */
  readonly stop: () => Promise<void>
}

/** Browsers may only read a response. Pages set a policy of their own. */
const safeHeaders = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
}

const bodyBytesMax = 64 * 1024
const stopTimeoutMs = 25_000

/** Creates the HTTP server: request ids, rate limits, exact numbers and one response format. Features add their routes. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const app = createApp(options)
  const state = { isStopping: false }
  const methodsOf = recordMethods(app)
  parseAndSerializeExactly(app)
  app.setErrorHandler((error, request, reply) => sendError(error as FastifyError, request, reply))
  traceRequests(app)
  addHooks(app, state)
  await app.register(swagger, describeApi(options))
  limitAddresses(app, options)
  app.setNotFoundHandler((request, reply) => {
    const allowed = methodsOf(request.url)
    if (allowed.length === 0) throw httpError('ROUTE_NOT_FOUND')
    reply.header('Allow', allowed.join(', '))
    throw httpError('METHOD_NOT_ALLOWED')
  })
  const metrics = recordMetrics(app, options.limits.state)
  registerHealth(app, options)
  return {
    app,
    metrics,
    stop: async () => {
      state.isStopping = true
      const deadline = setTimeout(() => app.server.closeAllConnections(), stopTimeoutMs)
      await app.close()
      clearTimeout(deadline)
    },
  }
}

function describeApi({ webhooks, completeDocument = (document) => document }: ServerOptions) {
  return {
    ...openapi,
    openapi: { ...openapi.openapi, webhooks },
    transformObject: (documented: object) => completeDocument((documented as { openapiObject: object }).openapiObject),
  }
}

function createApp(options: ServerOptions): App {
  const logger: FastifyBaseLogger = options.log
  return fastify({
    loggerInstance: logger,
    genReqId: options.newId,
    bodyLimit: bodyBytesMax,
    // A client that sends half a request must not hold a connection, or delay our shutdown, forever.
    requestTimeout: 30_000,
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 },
    frameworkErrors: (_, request, reply) => {
      const notFound = failure(httpError('ROUTE_NOT_FOUND'), request.id)
      void (reply as FastifyReply).code(notFound.code).header('X-Request-Id', request.id).send(notFound)
    },
    trustProxy: (_, hop) => hop < options.proxies,
    // During shutdown our own hook refuses requests on open connections, in our error format.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all requests: a child logger per request cost more than the lines it wrote.
    childLoggerFactory: () => logger,
  }).withTypeProvider<TypeBoxTypeProvider>()
}

function parseAndSerializeExactly(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_, text, done) => {
    try {
      // A DELETE may have a content type and no body.
      done(null, text === '' ? undefined : parseExactJson(text as string))
    } catch (error) {
      done(error as Error)
    }
  })
  app.setValidatorCompiler(compileSchema)
  // Not fast-json-stringify: it calls Number(), which loses digits.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
}

function sendError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const shown = asScripError(error)
  if (shown.kind === 'internal') request.log.error({ err: error, ...logFieldsOf(request) }, 'request failed')
  const { retryAfterSeconds } = shown.details
  if (typeof retryAfterSeconds === 'number') reply.header('Retry-After', retryAfterSeconds)
  const { errorsTellSuccess } = request.routeOptions.config
  const refusal = failure(shown, request.id)
  const named = { ...refusal.error, param: nameAsSent(refusal.error.param, request) }
  return reply
    .code(statusOf[shown.kind])
    .send({ ...refusal, error: named, ...(errorsTellSuccess === true && { success: false }) })
}

/** A reference is a field of the body, or the Idempotency-Key instead of it. An error names the one that was sent. */
function nameAsSent(param: string, { body, headers }: FastifyRequest): string {
  const isReference = param === 'referenceId' || param === 'reference_id'
  const isInBody = typeof body === 'object' && body !== null && param in body
  return isReference && !isInBody && headers['idempotency-key'] !== undefined ? 'Idempotency-Key' : param
}

function addHooks(app: App, state: { readonly isStopping: boolean }): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(safeHeaders).header('X-Request-Id', request.id)
    if (state.isStopping) reply.header('Connection', 'close')
    done(state.isStopping ? httpError('STOPPING') : undefined)
  })
  app.addHook('preValidation', (request, _, done) => {
    // A missing body counts as an empty object, so that bodies without required fields can be omitted.
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {}
    dropEmptyOptionals(request)
    const hasNul = request.url.includes('%00')
    done(hasNul ? fieldInvalid([{ param: '', reason: 'The URL contains a NUL character.' }]) : undefined)
  })
  app.addHook('onResponse', (request, reply, done) => {
    logResponse(request, reply.statusCode, reply.elapsedTime)
    done()
  })
}

/** Limits requests per address before credentials are checked, and for unknown paths too: it also slows down guessing. */
function limitAddresses(app: App, { limits, requestsPerMinute }: ServerOptions): void {
  const addresses = limits.createLimit('address', requestsPerMinute, 60_000, 'afterwards')
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isUnlimited === true) return
    const counted = await addresses.count(networkOf(request.ip))
    reply.header('X-RateLimit-Limit', counted.max)
    reply.header('X-RateLimit-Remaining', counted.remaining)
    reply.header('X-RateLimit-Reset', counted.secondsLeft)
    refuseAbove(counted)
  })
}

// Logs the route, not the path: a path can contain an email address or a reference.
function logResponse(request: FastifyRequest, status: number, elapsedMs: number): void {
  const route = request.routeOptions.url ?? 'none'
  const { requestId, merchant, traceId } = logFieldsOf(request)
  const { method } = request
  request.log.info(
    { requestId, merchant, traceId, method, route, status, elapsedMs: Math.round(elapsedMs) },
    'answered',
  )
}

/** Collects the routes that are added from now on. Returns the methods that a path has. */
function recordMethods(app: App): (url: string) => string[] {
  const routes: { readonly form: RegExp; readonly methods: readonly string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    // The preflights of all paths.
    if (url === '/*') return
    const parts = url.split('/').map((part) => {
      if (part.startsWith(':')) return '[^/]+'
      return part === '*' ? '.*' : part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    })
    routes.push({ form: new RegExp(`^${parts.join('/')}/?$`), methods: [method].flat() })
  })
  return (url) => {
    const path = url.split('?')[0] ?? ''
    return [...new Set(routes.flatMap(({ form, methods }) => (form.test(path) ? methods : [])))].toSorted()
  }
}

/** Public health checks for load balancers, without details. Those are on the internal port. */
function registerHealth(app: App, { checkReady }: ServerOptions): void {
  const unlimited = { config: { isUnlimited: true }, schema: { hide: true } }
  app.get('/health/live', unlimited, () => ({ status: 'live' }))
  app.get('/health/ready', unlimited, async (_, reply) => {
    try {
      await checkReady()
      return { status: 'ready' }
    } catch {
      return reply.code(503).send({ status: 'not ready' })
    }
  })
}

/** Maps any error to one of ours. Unexpected errors become INTERNAL, without their message. */
function asScripError(error: FastifyError): ScripError {
  if (error instanceof ScripError) return error
  if (error.validation !== undefined)
    return fieldInvalid(describeFaults(error.validation as readonly ErrorObject[], error.validationContext))
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return httpError('BODY_TOO_LARGE')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return httpError('BODY_TYPE_UNKNOWN')
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return httpError('BODY_MALFORMED', {}, error)
  return httpError(isDatabaseAway(error) ? 'UNAVAILABLE' : 'INTERNAL', {}, error)
}

// A lock timeout; a server that shuts down, is a standby or has no free connections; a failed connection.
function isDatabaseAway({ code, message }: FastifyError): boolean {
  return (
    /^(55P03|57P0.|08...|25P03|25006|53300|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN)$/.test(code) ||
    /timeout exceeded|read timeout|Connection terminated/.test(message) ||
    // The schema changed while the statement ran.
    /cached plan must not change|does not match function result type|return row do not match/.test(message)
  )
}
