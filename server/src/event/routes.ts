import Type from 'typebox'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { callerOf, type MerchantCaller } from '../http/caller.ts'
import { answers, endpoints, secretKey } from '../http/endpoint.ts'
import { answer } from '../http/envelope.ts'
import type { Server } from '../http/server.ts'
import { heartbeatMs, sendStream, type Word } from '../http/event-stream.ts'
import { eventError } from './errors.ts'
import type { Live } from './live.ts'
import { isAhead, listEvents, type Position, readPlaceOfNow } from './store.ts'
import { readPosition, toWireEvent, wireEvent, writePosition } from './wire.ts'

export type EventTools = { readonly pool: Pool; readonly live: Live }

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
    summary: 'Lists what happened, oldest first',
    description:
      'Go on with nextCursor for as long as you like: it is always there, and no event ever appears behind it. Kept for 30 days.',
    querystring: Type.Object({
      cursor: Type.Optional(Type.String({ maxLength: 100, description: 'nextCursor of the answer before' })),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }),
    }),
    response: answers({
      events: Type.Array(wireEvent),
      nextCursor: Type.String(),
      hasMore: Type.Boolean({ description: 'Whether to ask again at once' }),
    }),
    handler: async (request) => {
      const { environmentId, mode } = callerOf(request)
      const { cursor, limit } = request.query
      const after = await readPlace(cursor)
      const events = await withEnvironment(tools.pool, environmentId, (tx) =>
        listEvents(tx, environmentId, after, limit),
      )
      return answer('The events.', {
        events: events.map((event) => toWireEvent(event, mode)),
        nextCursor: writePosition(events.at(-1)?.position ?? after),
        hasMore: events.length === limit,
      })
    },
  })

  api.get('/events/stream', secretKey('developer'), {
    route: { exposeHeadRoute: false },
    operationId: 'stream-events',
    summary: 'Tells what happens while you listen, as server-sent events',
    description:
      'Each word is an event, its id the cursor after it. Opened with Last-Event-ID, or a cursor, it goes on from there; else from now. It ends after ten minutes: open it anew.',
    produces: ['text/event-stream'],
    querystring: Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 100 })) }),
    response: { 200: Type.String({ description: 'Events, one after the other' }) },
    handler: async (request, reply) => {
      const last = request.headers['last-event-id']
      const cursor = typeof last === 'string' && last !== '' ? last : request.query.cursor
      const after = cursor === undefined ? await readPlaceOfNow(tools.pool) : await readPlace(cursor)
      const caller = callerOf(request)
      const audience = { name: 'merchant', listenerId: caller.keyId, objectId: caller.environmentId } as const
      return sendStream(request, reply, audience, (signal) => streamEvents(tools, caller, after, signal))
    },
  })
}

async function* streamEvents(
  { pool, live }: EventTools,
  { environmentId, mode }: MerchantCaller,
  from: Position,
  signal: AbortSignal,
): AsyncGenerator<Word | null> {
  let after = from
  while (!signal.aborted) {
    // Waits before it reads, so that nothing that happens in between is slept through.
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
