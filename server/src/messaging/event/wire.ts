import Type, { type Static, type TSchema } from 'typebox'
import { cursorFields, named } from '../../http/schema.ts'

export const described = (data: TSchema, type: TSchema): TSchema =>
  Type.Object({
    id: Type.String({ format: 'uuid', description: 'The same in every delivery of the event' }),
    type,
    timestamp: Type.String({ format: 'date-time', description: 'When the event happened' }),
    mode: Type.Union([Type.Literal('live'), Type.Literal('test')]),
    objectId: Type.String({ format: 'uuid', description: 'The object of the event' }),
    sequence: Type.Integer({
      description: 'Increases with each event about the object. Events that are not for you leave a gap.',
    }),
    data,
  })

export const wireEvent: TSchema = {
  ...described(
    Type.Object(
      {},
      { additionalProperties: true, description: 'Depends on the type: see the webhooks of this document' },
    ),
    Type.String(),
  ),
  title: 'Event',
}

const time = Type.String({ description: 'RFC 3339, or empty' })

export const wireEndpoint = named('WebhookEndpoint', {
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  eventTypes: Type.Array(Type.String()),
  description: Type.String(),
  status: Type.Union([Type.Literal('enabled'), Type.Literal('disabled')]),
  disabledReason: Type.String({
    description: 'Why the platform disabled it: gone (it returned 410) or failing (for five days)',
  }),
  failingSince: time,
  createdAt: time,
})

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

export const wireDelivery = named('WebhookDelivery', {
  eventId: Type.String({ format: 'uuid' }),
  eventType: Type.String(),
  status: Type.Union([Type.Literal('pending'), Type.Literal('delivered'), Type.Literal('failed')]),
  attempts: Type.Integer(),
  nextAttemptAt: time,
  createdAt: time,
})

export const wireAttempt = named('WebhookAttempt', {
  number: Type.Integer(),
  at: time,
  durationMs: Type.Integer(),
  statusCode: Type.Integer({ description: 'Of the response; 0 if there was none' }),
  failure: Type.String({ description: 'Why there was no response' }),
  excerpt: Type.String({ description: 'The beginning of the response' }),
})

export type WireEndpoint = Static<typeof wireEndpoint>
export type WireDelivery = Static<typeof wireDelivery>
export type WireAttempt = Static<typeof wireAttempt>

/** An event in a list of the dashboard. */
const wireListedEvent = Type.Object({
  position: Type.String({ description: 'By which it is read' }),
  id: Type.String({ format: 'uuid' }),
  type: Type.String(),
  timestamp: Type.String({ format: 'date-time' }),
  objectId: Type.String({ format: 'uuid' }),
  sequence: Type.Integer(),
})
export const wireListedEvents = Type.Object({ events: Type.Array(wireListedEvent), ...cursorFields })
export type WireListedEvents = Static<typeof wireListedEvents>

const wireDeliveryOfEvent = Type.Object({
  endpointId: Type.String({ format: 'uuid' }),
  url: Type.String(),
  status: Type.Enum(deliveryStatuses),
  attempts: Type.Integer(),
  nextAttemptAt: time,
})
export type WireDeliveryOfEvent = Static<typeof wireDeliveryOfEvent>

export const wireEventDetail = Type.Object({
  event: wireListedEvent,
  data: Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}, { additionalProperties: true })),
  deliveries: Type.Array(wireDeliveryOfEvent),
})
export type WireEventDetail = Static<typeof wireEventDetail>

export const wireEventTypes = Type.Object({ types: Type.Array(Type.String()) })
export type WireEventTypes = Static<typeof wireEventTypes>

const wireHealth = Type.Object({
  endpointId: Type.String({ format: 'uuid' }),
  attempts: Type.Integer({ description: 'Of the last 24 hours, at most 1,000' }),
  delivered: Type.Integer(),
  medianMs: Type.Integer(),
  lastFailure: Type.String({ description: 'The status or the reason of the newest failed attempt, or empty' }),
  failed: Type.Integer({ description: 'Deliveries that are not tried again. At most 1,000' }),
  retrying: Type.Integer({ description: 'Deliveries that have failed and are tried again' }),
  nextAttemptAt: time,
  hours: Type.Array(Type.Object({ attempts: Type.Integer(), delivered: Type.Integer() }), {
    description: 'The last 24 hours, oldest first',
  }),
})
export type WireHealth = Static<typeof wireHealth>
export const wireHealths = Type.Object({ endpoints: Type.Array(wireHealth) })
export type WireHealths = Static<typeof wireHealths>
