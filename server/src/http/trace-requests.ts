import type { FastifyRequest } from 'fastify'
import { isTracing, runIn, type Span, startRoot } from '../base/trace.ts'
import type { Server } from './server.ts'

const spans = new WeakMap<FastifyRequest, Span>()

/** The id of the trace of the request, if it is traced. */
export function traceIdOf(request: FastifyRequest): string | undefined {
  return isTracing() ? spans.get(request)?.traceId : undefined
}

/** Makes a span of each sampled request. It has the route and never the path, which can contain an identifier. */
export function traceRequests(app: Server['app']): void {
  if (!isTracing()) return
  app.addHook('onRequest', (request, _, done) => {
    const { traceparent } = request.headers
    const { method } = request
    const route = request.routeOptions.url ?? 'none'
    const span = startRoot(`${method} ${route}`, {
      isRequest: true,
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    })
    if (span === undefined) {
      done()
      return
    }
    span.set({ 'http.request.method': method, 'http.route': route, 'scrip.request.id': request.id })
    spans.set(request, span)
    runIn(span, done)
  })
  // Reading the body has left the span: the bytes come from the connection, which other requests use too.
  app.addHook('preValidation', (request, _, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else runIn(span, done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request)
    span?.set({ 'http.response.status_code': reply.statusCode })
    span?.end(reply.statusCode >= 500 ? new Error('The response is an error of the server.') : undefined)
    done()
  })
}
