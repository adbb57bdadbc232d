import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Clock } from '../base/clock.ts'
import { ScripError } from '../base/errors.ts'
import type { NewId } from '../base/id.ts'
import type { Log } from '../base/log.ts'
import { failure, statusOf } from './envelope.ts'
import { httpError } from './errors.ts'
import { parseExactJson } from './exact-json.ts'
import { createLimit, networkOf } from './limit.ts'
import { openapi } from './openapi.ts'
import { registerMetrics } from './metrics.ts'
import { compileSchema, dropEmptyOptionals } from './validation.ts'

export type ServerOptions = {
  readonly log: Log
  readonly newId: NewId
  readonly clock: Clock
  /** How many proxies in front of us may say where a request comes from. */
  readonly proxies: number
  readonly requestsPerMinute: number
  /** What we call others with, for the OpenAPI document. */
  readonly webhooks: Record<string, object>
  /** Throws if requests cannot be served, for instance because the database does not answer. */
  readonly checkReady: () => Promise<void>
}

export type Server = Awaited<ReturnType<typeof createServer>>

/** What a browser may do with an answer: nothing but read it. Pages say for themselves what more they need. */
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

/** Everything that holds for every request: ids, limits, exact numbers, one form of answer. Features add their routes. */
export async function createServer(options: ServerOptions) {
  const logger: FastifyBaseLogger = options.log
  const app = fastify({
    loggerInstance: logger,
    genReqId: options.newId,
    bodyLimit: bodyBytesMax,
    // Who sends half a request keeps neither a connection nor our stopping for ever.
    requestTimeout: 30_000,
    frameworkErrors: (_, request, reply) => {
      const told = failure(httpError('ROUTE_NOT_FOUND'), request.id)
      void (reply as FastifyReply).code(told.code).header('X-Request-Id', request.id).send(told)
    },
    trustProxy: (_, hop) => hop < options.proxies,
    // A request that arrives on an open connection while we stop is told so, in our own form.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    logController: new LogController({ disableRequestLogging: true }),
    // One log for all requests: a child for each cost more than what is logged of it.
    childLoggerFactory: () => logger,
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_, text, done) => {
    try {
      // A DELETE may carry a content type and no body.
      done(null, text === '' ? undefined : parseExactJson(text as string))
    } catch (error) {
      done(error as Error)
    }
  })
  app.setValidatorCompiler(compileSchema)
  // Not fast-json-stringify: it calls Number(), which loses digits.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  app.setErrorHandler((error, request, reply) => {
    const told = asScripError(error as FastifyError)
    if (told.kind === 'internal') request.log.error({ err: error, reqId: request.id }, 'request failed')
    const { retryAfterSeconds } = told.details
    if (typeof retryAfterSeconds === 'number') reply.header('Retry-After', retryAfterSeconds)
    const { errorsTellSuccess } = request.routeOptions.config
    return reply
      .code(statusOf[told.kind])
      .send({ ...failure(told, request.id), ...(errorsTellSuccess === true && { success: false }) })
  })

  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(safeHeaders).header('X-Request-Id', request.id)
    if (isStopping) reply.header('Connection', 'close')
    done(isStopping ? httpError('STOPPING') : undefined)
  })
  app.addHook('preValidation', (request, _, done) => {
    // Where nothing has to be said, nothing need be sent.
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {}
    dropEmptyOptionals(request)
    done(
      request.url.includes('%00')
        ? httpError('FIELD_INVALID', { reason: 'There is a NUL in the address.' })
        : undefined,
    )
  })
  app.addHook('onResponse', (request, reply, done) => {
    logAnswer(request, reply.statusCode, reply.elapsedTime)
    done()
  })

  await app.register(swagger, { ...openapi, openapi: { ...openapi.openapi, webhooks: options.webhooks } })
  // Before anybody's credentials are looked at, and for what is not there as well: guessing is limited too.
  const addresses = createLimit(options.clock, options.requestsPerMinute, 60_000)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.isUnlimited === true) {
      done()
      return
    }
    const { isWithin, max, remaining, secondsLeft } = addresses.count(networkOf(request.ip))
    reply.header('X-RateLimit-Limit', max)
    reply.header('X-RateLimit-Remaining', remaining)
    reply.header('X-RateLimit-Reset', secondsLeft)
    done(isWithin ? undefined : httpError('RATE_LIMITED', { retryAfterSeconds: secondsLeft }))
  })
  app.setNotFoundHandler(() => {
    throw httpError('ROUTE_NOT_FOUND')
  })
  registerMetrics(app)
  registerHealth(app, options.checkReady)

  let isStopping = false
  return {
    app,
    /** Answers what has reached a handler, refuses what comes after, then closes. */
    stop: async (): Promise<void> => {
      isStopping = true
      const deadline = setTimeout(() => app.server.closeAllConnections(), stopTimeoutMs)
      await app.close()
      clearTimeout(deadline)
    },
  }
}

// The route, not the address: an address can carry an e-mail or a reference.
function logAnswer(request: FastifyRequest, status: number, elapsedMs: number): void {
  const route = request.routeOptions.url ?? 'none'
  const { id: reqId, method } = request
  request.log.info({ reqId, method, route, status, elapsedMs: Math.round(elapsedMs) }, 'answered')
}

function registerHealth(app: FastifyInstance, checkReady: () => Promise<void>): void {
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

/** Whatever was thrown, as one of our own errors. What we did not foresee is told as ours, without its words. */
function asScripError(error: FastifyError): ScripError {
  if (error instanceof ScripError) return error
  const [fault] = error.validation ?? []
  if (fault !== undefined) {
    const missing = fault.params as { missingProperty?: string; additionalProperty?: string }
    const inside = fault.instancePath.slice(1).replaceAll('/', '.')
    const name = missing.missingProperty ?? missing.additionalProperty
    return httpError('FIELD_INVALID', { param: [inside, name].filter(Boolean).join('.'), reason: fault.message ?? '' })
  }
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return httpError('BODY_TOO_LARGE')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return httpError('BODY_TYPE_UNKNOWN')
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return httpError('BODY_MALFORMED', {}, error)
  return httpError(isDatabaseAway(error) ? 'UNAVAILABLE' : 'INTERNAL', {}, error)
}

// A lock that was not to be had, a server that goes down, has become a standby or has no room, a connection that is not there.
function isDatabaseAway({ code, message }: FastifyError): boolean {
  return (
    /^(55P03|57P0.|08...|25P03|25006|53300|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN)$/.test(code) ||
    /timeout exceeded|read timeout|Connection terminated/.test(message)
  )
}
