import Type from 'typebox'
import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { callerOf, type MerchantCaller } from '../../http/caller.ts'
import { endpoints, staff } from '../../http/endpoint.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { continueAt } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import { eventTypes } from './catalogue.ts'
import { eventError } from './errors.ts'
import { readHealth } from './health-store.ts'
import { type EventAtPosition, findEvent, listNewestEvents, listNewestOfType, type Position } from './store.ts'
import { readPosition, toWireEvent, writePosition } from './to-wire.ts'
import { listDeliveriesOf, listEndpoints } from './webhook-store.ts'
import { toWireDeliveryOfEvent, toWireHealth } from './webhook-to-wire.ts'
import { wireEventDetail, wireEventTypes, wireHealths, wireListedEvents } from './wire.ts'

const position = Type.String({ maxLength: 100 })

/** Events, newest first, and the health of webhook endpoints, for the dashboard. */
export function registerStaffEventRoutes(server: Server, { pool, clock }: { pool: Pool; clock: Clock }): void {
  const api = endpoints(server)

  api.get('/merchant/events', staff('developer'), {
    querystring: Type.Object({
      cursor: Type.Optional(position),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
      type: Type.Optional(Type.Enum(eventTypes())),
    }),
    response: { 200: enveloped(wireListedEvents) },
    handler: async (request) => {
      const { environmentId, mode } = callerOf(request)
      const { cursor, limit, type } = request.query
      const before = cursor === undefined ? undefined : requirePosition(cursor)
      const { events, next } = await withEnvironment(pool, environmentId, (tx) =>
        type === undefined
          ? listNewestEvents(tx, environmentId, before, limit)
          : listNewestOfType(tx, environmentId, before, limit, type),
      )
      return answer('Your events, newest first.', {
        events: events.map((event) => toListed(event, mode)),
        ...continueAt(next === undefined ? '' : writePosition(next)),
      })
    },
  })

  api.get('/merchant/events/:position', staff('developer'), {
    params: Type.Object({ position }),
    response: { 200: enveloped(wireEventDetail) },
    handler: async (request) => {
      const { environmentId, mode } = callerOf(request)
      const place = readPosition(request.params.position)
      const { event, deliveries } = await withEnvironment(pool, environmentId, async (tx) => {
        const found = place && (await findEvent(tx, environmentId, place))
        if (found === undefined) throw eventError('EVENT_UNKNOWN')
        return { event: found, deliveries: await listDeliveriesOf(tx, found.id) }
      })
      return answer('The event.', {
        event: toListed(event, mode),
        data: event.data,
        deliveries: deliveries.map(toWireDeliveryOfEvent),
      })
    },
  })

  api.get('/merchant/event-types', staff('developer'), {
    response: { 200: enveloped(wireEventTypes) },
    handler: () => answer('The types of events.', { types: eventTypes() }),
  })

  api.get('/merchant/webhook-health', staff('developer'), {
    response: { 200: enveloped(wireHealths) },
    handler: async (request) => {
      const healths = await withEnvironment(pool, callerOf(request).environmentId, async (tx) => {
        const healthOf = await readHealth(tx, clock())
        return (await listEndpoints(tx)).map(({ id }) => toWireHealth(id, healthOf(id)))
      })
      return answer('How the deliveries of the last 24 hours went.', { endpoints: healths })
    },
  })
}

function requirePosition(cursor: string): Position {
  const place = readPosition(cursor)
  if (place === undefined) throw eventError('CURSOR_UNKNOWN', { param: 'cursor' })
  return place
}

function toListed({ position: place, ...event }: EventAtPosition, mode: MerchantCaller['mode']) {
  const { id, type, timestamp, objectId, sequence } = toWireEvent(event, mode)
  return { position: writePosition(place), id, type, timestamp, objectId, sequence }
}
