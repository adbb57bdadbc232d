import Type from 'typebox'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { callerOf } from '../http/caller.ts'
import { answer, enveloped } from '../http/envelope.ts'
import type { Server } from '../http/server.ts'
import { eventError } from './errors.ts'
import { listEvents } from './store.ts'
import { readPosition, toWireEvent, wireEvent, writePosition } from './wire.ts'

export type EventTools = { readonly pool: Pool }

const tags = ['Events and webhooks']

export function registerEventRoutes({ app }: Server, tools: EventTools): void {
  app.get(
    '/events',
    {
      config: { credentials: 'secret' },
      schema: {
        summary: 'Lists what happened, oldest first',
        description:
          'Go on with nextCursor for as long as you like: it is always there, and no event ever appears behind it. Kept for 30 days.',
        tags,
        querystring: Type.Object({
          cursor: Type.Optional(Type.String({ maxLength: 100, description: 'nextCursor of the answer before' })),
          limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }),
        }),
        response: {
          200: enveloped(
            Type.Object({
              events: Type.Array(wireEvent),
              nextCursor: Type.String(),
              hasMore: Type.Boolean({ description: 'Whether to ask again at once' }),
            }),
          ),
        },
      },
    },
    async (request) => {
      const { environmentId, mode } = callerOf(request)
      const { cursor, limit } = request.query
      const after = readPosition(cursor)
      if (after === undefined) throw eventError('CURSOR_UNKNOWN', { param: 'cursor' })
      const events = await withEnvironment(tools.pool, environmentId, (tx) =>
        listEvents(tx, environmentId, after, limit),
      )
      return answer('The events.', {
        events: events.map((event) => toWireEvent(event, mode)),
        nextCursor: writePosition(events.at(-1)?.position ?? after),
        hasMore: events.length === limit,
      })
    },
  )
}
