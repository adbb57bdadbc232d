import type { Static } from 'typebox'
import type { Health } from './health-store.ts'
import type { Delivery, DeliveryOfEvent, Endpoint, LoggedAttempt } from './webhook-store.ts'
import type { wireAttempt, wireDelivery, wireEndpoint, WireDeliveryOfEvent, WireHealth } from './wire.ts'

const writeTime = (at: Date | null): string => at?.toISOString() ?? ''

export function toWireEndpoint(endpoint: Endpoint): Static<typeof wireEndpoint> {
  const { id, url, eventTypes, description, status, disabledReason, failingSince, createdAt } = endpoint
  const times = { failingSince: writeTime(failingSince), createdAt: writeTime(createdAt) }
  return { id, url, eventTypes: [...eventTypes], description, status, disabledReason, ...times }
}

export function toWireDelivery(delivery: Delivery): Static<typeof wireDelivery> {
  const { id, type, status, attempts, nextAttemptAt, createdAt } = delivery
  const times = { nextAttemptAt: writeTime(nextAttemptAt), createdAt: writeTime(createdAt) }
  return { eventId: id, eventType: type, status, attempts, ...times }
}

export function toWireAttempt(attempt: LoggedAttempt): Static<typeof wireAttempt> {
  const { number, at, durationMs, statusCode, failure, excerpt } = attempt
  return { number, at: writeTime(at), durationMs, statusCode: statusCode ?? 0, failure, excerpt }
}

export function toWireDeliveryOfEvent({ nextAttemptAt, ...delivery }: DeliveryOfEvent): WireDeliveryOfEvent {
  return { ...delivery, nextAttemptAt: writeTime(nextAttemptAt) }
}

export function toWireHealth(endpointId: string, health: Health): WireHealth {
  const { medianMs, lastFailure, nextAttemptAt, hours, ...counts } = health
  return {
    endpointId,
    ...counts,
    medianMs: medianMs ?? 0,
    lastFailure: lastFailure ?? '',
    nextAttemptAt: writeTime(nextAttemptAt),
    hours: [...hours],
  }
}
