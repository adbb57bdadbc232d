import Type, { type TSchema } from 'typebox'
import { named } from '../../http/schema.ts'

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
