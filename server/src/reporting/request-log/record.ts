import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { findCaller, findRefusedKey } from '../../http/caller.ts'
import type { Server } from '../../http/server.ts'
import type { RequestLog } from './buffer.ts'

// Longer bodies are files and lists. They are not stored, not even in part: redacting one would take too long.
const bodyBytesMax = 16 * 1024

/** Hands every request with an API key to the log when it has been answered. */
export function recordRequests({ app }: Server, requestLog: RequestLog, clock: Clock): void {
  const responses = new WeakMap<FastifyRequest, string>()
  app.addHook('onSend', (request, _, payload, done) => {
    if (typeof payload === 'string' && payload.length <= bodyBytesMax && findKey(request) !== undefined)
      responses.set(request, payload)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    record(requestLog, clock(), request, reply, responses.get(request) ?? '')
    done()
  })
}

function record(requestLog: RequestLog, at: Date, request: FastifyRequest, reply: FastifyReply, sent: string): void {
  const key = findKey(request)
  if (key === undefined) return
  const { 'content-length': length = '0', 'transfer-encoding': chunked } = request.headers
  // Of a body in chunks nobody knows the length.
  const bodyBytes = chunked === undefined ? Number(length) : Number.POSITIVE_INFINITY
  const hasBody = bodyBytes <= bodyBytesMax
  requestLog.push({
    id: request.id,
    environmentId: key.environmentId,
    keyId: key.keyId,
    method: request.method,
    route: request.routeOptions.url ?? '',
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime),
    address: request.ip,
    at,
    reference: reply.getHeader('Scrip-Reference-Id'),
    params: request.params,
    body: hasBody ? request.body : undefined,
    sent: isJson(reply) ? sent : '',
    bytes: (hasBody ? bodyBytes : 0) + sent.length,
  })
}

/** The key of a request. Undefined for staff, and for requests whose key is unknown. */
function findKey(request: FastifyRequest): { readonly environmentId: string; readonly keyId: string } | undefined {
  const caller = findCaller(request)
  if (caller === undefined) return findRefusedKey(request)
  return caller.memberId === undefined ? caller : undefined
}

function isJson(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('application/json')
}
