import Type from 'typebox'
import type { Pool, Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { callerOf, type MerchantCaller } from '../../http/caller.ts'
import { answers, endpoints, secretKey } from '../../http/endpoint.ts'
import { answer } from '../../http/envelope.ts'
import type { Server } from '../../http/server.ts'
import { heartbeatMs, sendStream, type StreamEvent } from '../../http/event-stream.ts'
import { eventTypes } from './catalogue.ts'
import { eventError } from './errors.ts'
import type { Live } from './live.ts'
import type { EndWithCredential } from './revocation.ts'
import { isAhead, listEvents, listEventsOfType, type Position, readPlaceOfNow } from './store.ts'
import { readPosition, toWireEvent, writePosition } from './to-wire.ts'
import { wireEvent } from './wire.ts'

export type EventTools = { readonly pool: Pool; readonly live: Live; readonly endWithCredential: EndWithCredential }

const pageMax = 100

export function registerEventRoutes(server: Server, tools: EventTools): void {
  const api = endpoints(server, ['Events and webhooks'])
  const readPlace = async (cursor: string | undefined): Promise<Position> => {
    const place = readPosition(cursor)
    if (place === undefined || (cursor !== undefined && (await isAhead(tools.pool, place))))
      throw eventError('CURSOR_UNKNOWN', { param: 'cursor' })
    return place
  }

  api.get('/events', secretKey('developer'), {
    summary: 'List events',
    description:
      'Poll with nextCursor: it is always set, and no event ever appears before it. With a type, a page can be short or empty while hasMore is true. Events are stored for 30 days.',
    querystring: Type.Object({
      cursor: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'nextCursor of the previous response, or "now" to leave out all events until now',
        }),
      ),
      type: Type.Optional(
        Type.Enum(eventTypes(), { description: 'Only events of this type; voucher.* for all voucher events' }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }),
    }),
    response: answers({
      events: Type.Array(wireEvent),
      nextCursor: Type.String(),
      hasMore: Type.Boolean({ description: 'Whether more events are available now' }),
    }),
    handler: async (request) => {
      const { environmentId, mode } = callerOf(request)
      const { cursor, limit, type } = request.query
      const after = cursor === 'now' ? await readPlaceOfNow(tools.pool) : await readPlace(cursor)
      const { events, last, hasMore } = await withEnvironment(tools.pool, environmentId, (tx) =>
        type === undefined
          ? listAll(tx, environmentId, after, limit)
          : listEventsOfType(tx, environmentId, after, limit, type),
      )
      return answer('The events.', {
        events: events.map((event) => toWireEvent(event, mode)),
        nextCursor: writePosition(last),
        hasMore,
      })
    },
  })

  api.get('/events/stream', secretKey('developer'), {
    route: { exposeHeadRoute: false },
    operationId: 'stream-events',
    summary: 'Stream events',
    description:
      'Each message is an event; its id is the cursor after it. Opened with Last-Event-ID, or a cursor, the stream continues from there, otherwise from now. It ends after ten minutes, and within 5 seconds when a key that opened it is revoked: reconnect.',
    produces: ['text/event-stream'],
    querystring: Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 100 })) }),
    response: { 200: Type.String({ description: 'A stream of events' }) },
    handler: async (request, reply) => {
      const last = request.headers['last-event-id']
      const cursor = typeof last === 'string' && last !== '' ? last : request.query.cursor
      const after = cursor === undefined ? await readPlaceOfNow(tools.pool) : await readPlace(cursor)
      const caller = callerOf(request)
      const audience = { name: 'merchant', listenerId: caller.keyId, objectId: caller.environmentId } as const
      const source = (signal: AbortSignal) => streamEvents(tools, caller, after, signal)
      return sendStream(request, reply, audience, tools.endWithCredential(request, source))
    },
  })
}

async function listAll(tx: Tx, environmentId: string, after: Position, limit: number) {
  const found = await listEvents(tx, environmentId, after, limit + 1)
  const events = found.slice(0, limit)
  return { events, last: events.at(-1)?.position ?? after, hasMore: found.length > limit }
}

async function* streamEvents(
  { pool, live }: EventTools,
  { environmentId, mode }: MerchantCaller,
  from: Position,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent | null> {
  let after = from
  while (!signal.aborted) {
    // Start to wait before reading, so that no event in between is missed.
    const waiting = live.wait(environmentId, heartbeatMs, signal)
    let isLast: boolean
    do {
      const events = await withEnvironment(pool, environmentId, (tx) => listEvents(tx, environmentId, after, pageMax))
      for (const event of events) {
        after = event.position
        yield { id: writePosition(after), event: event.type, data: JSON.stringify(toWireEvent(event, mode)) }
      }
      isLast = events.length < pageMax
    } while (!isLast)
    const how = await waiting
    if (how === 'over') return
    if (how === 'quiet') yield null
  }
}
