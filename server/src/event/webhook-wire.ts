import Type from 'typebox'
import type { Delivery, Endpoint, LoggedAttempt } from './webhook-store.ts'

const time = Type.String({ description: 'RFC 3339, or empty' })

export const wireEndpoint = Type.Object({
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  eventTypes: Type.Array(Type.String()),
  description: Type.String(),
  status: Type.Union([Type.Literal('enabled'), Type.Literal('disabled')]),
  disabledReason: Type.String({
    description: 'If we switched it off: gone (it answered 410) or failing (for five days)',
  }),
  failingSince: time,
  createdAt: time,
})

export const wireDelivery = Type.Object({
  eventId: Type.String({ format: 'uuid' }),
  eventType: Type.String(),
  status: Type.Union([Type.Literal('pending'), Type.Literal('delivered'), Type.Literal('failed')]),
  attempts: Type.Integer(),
  nextAttemptAt: time,
  createdAt: time,
})

export const wireAttempt = Type.Object({
  number: Type.Integer(),
  at: time,
  durationMs: Type.Integer(),
  statusCode: Type.Integer({ description: 'Of the answer; 0 if there was none' }),
  failure: Type.String({ description: 'Why there was no answer' }),
  excerpt: Type.String({ description: 'How the answer began' }),
})

const told = (at: Date | null): string => at?.toISOString() ?? ''

export function toWireEndpoint(endpoint: Endpoint) {
  const { id, url, eventTypes, description, status, disabledReason, failingSince, createdAt } = endpoint
  const times = { failingSince: told(failingSince), createdAt: told(createdAt) }
  return { id, url, eventTypes, description, status, disabledReason, ...times }
}

export function toWireDelivery({ id, type, status, attempts, nextAttemptAt, createdAt }: Delivery) {
  const times = { nextAttemptAt: told(nextAttemptAt), createdAt: told(createdAt) }
  return { eventId: id, eventType: type, status, attempts, ...times }
}

export function toWireAttempt({ number, at, durationMs, statusCode, failure, excerpt }: LoggedAttempt) {
  return { number, at: told(at), durationMs, statusCode: statusCode ?? 0, failure, excerpt }
}
