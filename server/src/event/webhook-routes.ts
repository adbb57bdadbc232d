import Type from 'typebox'
import { withEnvironment } from '../base/environment.ts'
import { callerOf } from '../http/caller.ts'
import { acknowledge, acknowledged, answer, enveloped } from '../http/envelope.ts'
import { cursorQuery, nextCursorOf, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { readTime } from '../http/validation.ts'
import {
  createEndpoint,
  deleteEndpoint,
  requireEndpoint,
  rotateSecret,
  testEndpoint,
  updateEndpoint,
  type WebhookTools,
} from './endpoints.ts'
import { eventError } from './errors.ts'
import {
  toWireAttempt,
  toWireDelivery,
  toWireEndpoint,
  wireAttempt,
  wireDelivery,
  wireEndpoint,
} from './webhook-wire.ts'
import { listAttempts, listDeliveries, listEndpoints, replayFailed, replayOne } from './webhook-store.ts'

const tags = ['Events and webhooks']
const config = { credentials: 'secret', roles: ['developer'] } as const
const uuid = Type.String({ format: 'uuid' })
const replayMax = 1_000
const ofEndpoint = Type.Object({ id: uuid })
const ofDelivery = Type.Object({ id: uuid, eventId: uuid })

const url = Type.String({ minLength: 1, maxLength: 2_000, description: 'https; in test mode http as well' })
const eventTypes = Type.Array(Type.String({ maxLength: 100 }), {
  maxItems: 100,
  description: 'Such as voucher.redeemed, or voucher.* for all of a kind. None: everything',
})
const description = Type.String({ maxLength: 200 })
const secret = Type.String({ description: 'Shown this once. Verifies deliveries by Standard Webhooks' })

export function registerWebhookRoutes({ app }: Server, tools: WebhookTools): void {
  const { pool, clock } = tools

  app.post(
    '/webhook-endpoints',
    {
      config,
      schema: {
        operationId: 'create-webhook-endpoint',
        summary: 'Adds an address that is told what happens from now on',
        tags,
        body: Type.Object(
          { url, eventTypes: Type.Optional(eventTypes), description: Type.Optional(description) },
          { additionalProperties: false },
        ),
        response: { 200: enveloped(Type.Object({ endpoint: wireEndpoint, secret })) },
      },
    },
    async (request) => {
      const { url: to, eventTypes: types = [], description: about = '' } = request.body
      const made = await createEndpoint(tools, callerOf(request), { url: to, eventTypes: types, description: about })
      return answer('Keep the secret: it is not shown again.', {
        endpoint: toWireEndpoint(made.endpoint),
        secret: made.secret,
      })
    },
  )

  app.get(
    '/webhook-endpoints',
    {
      config,
      schema: {
        operationId: 'list-webhook-endpoints',
        summary: 'Lists your webhook endpoints',
        tags,
        response: { 200: enveloped(Type.Array(wireEndpoint)) },
      },
    },
    async (request) => {
      const endpoints = await withEnvironment(pool, callerOf(request).environmentId, listEndpoints)
      return answer('Your webhook endpoints.', endpoints.map(toWireEndpoint))
    },
  )

  app.post(
    '/webhook-endpoints/:id',
    {
      config,
      schema: {
        operationId: 'update-webhook-endpoint',
        summary: 'Changes what is named, and leaves the rest',
        tags,
        params: ofEndpoint,
        body: Type.Object(
          {
            url: Type.Optional(url),
            eventTypes: Type.Optional(eventTypes),
            description: Type.Optional(description),
            isEnabled: Type.Optional(Type.Boolean({ description: 'Enabled, it goes on with what waited for it' })),
          },
          { additionalProperties: false },
        ),
        response: { 200: enveloped(wireEndpoint) },
      },
    },
    async (request) => {
      const { isEnabled, ...terms } = request.body
      const status = isEnabled === undefined ? undefined : isEnabled ? 'enabled' : 'disabled'
      const change = { ...terms, ...(status !== undefined && ({ status } as const)) }
      const endpoint = await updateEndpoint(tools, callerOf(request), request.params.id, change)
      return answer('The webhook endpoint.', toWireEndpoint(endpoint))
    },
  )

  app.delete(
    '/webhook-endpoints/:id',
    {
      config,
      schema: {
        operationId: 'delete-webhook-endpoint',
        summary: 'Deletes a webhook endpoint',
        tags,
        params: ofEndpoint,
        response: { 200: acknowledged },
      },
    },
    async (request) => {
      await deleteEndpoint(tools, callerOf(request), request.params.id)
      return acknowledge('It is deleted.')
    },
  )

  app.post(
    '/webhook-endpoints/:id/rotate-secret',
    {
      config,
      schema: {
        operationId: 'rotate-webhook-secret',
        summary: 'Makes a new secret. For 24 hours deliveries carry a signature by each',
        tags,
        params: ofEndpoint,
        response: { 200: enveloped(Type.Object({ secret })) },
      },
    },
    async (request) =>
      answer('Keep the secret: it is not shown again.', {
        secret: await rotateSecret(tools, callerOf(request), request.params.id),
      }),
  )

  app.post(
    '/webhook-endpoints/:id/test',
    {
      config,
      schema: {
        operationId: 'test-webhook-endpoint',
        summary: 'Sends merchant.webhook_test there',
        tags,
        params: ofEndpoint,
        response: { 200: enveloped(Type.Object({ eventId: uuid })) },
      },
    },
    async (request) =>
      answer('On its way: see its delivery.', {
        eventId: await testEndpoint(tools, callerOf(request), request.params.id),
      }),
  )

  app.get(
    '/webhook-endpoints/:id/deliveries',
    {
      config,
      schema: {
        operationId: 'list-webhook-deliveries',
        summary: 'Lists what was sent to an endpoint, newest first',
        tags,
        params: ofEndpoint,
        querystring: Type.Object({ ...cursorQuery, status: Type.Optional(wireDelivery.properties.status) }),
        response: {
          200: enveloped(Type.Object({ deliveries: Type.Array(wireDelivery), nextCursor: Type.String() })),
        },
      },
    },
    async (request) => {
      const { cursor, limit, status } = request.query
      const found = await withEnvironment(pool, callerOf(request).environmentId, async (tx) => {
        const { id } = await requireEndpoint(tx, request.params.id)
        return listDeliveries(tx, id, { status, before: readCursor(cursor), limit })
      })
      return answer('The deliveries.', {
        deliveries: found.map(toWireDelivery),
        nextCursor: nextCursorOf(found, limit),
      })
    },
  )

  app.get(
    '/webhook-endpoints/:id/deliveries/:eventId',
    {
      config,
      schema: {
        operationId: 'fetch-webhook-delivery',
        summary: 'Tells every attempt to deliver an event',
        tags,
        params: ofDelivery,
        response: { 200: enveloped(Type.Object({ delivery: wireDelivery, attempts: Type.Array(wireAttempt) })) },
      },
    },
    async (request) => {
      const { id, eventId } = request.params
      const found = await withEnvironment(pool, callerOf(request).environmentId, async (tx) => {
        await requireEndpoint(tx, id)
        const [delivery] = await listDeliveries(tx, id, { eventId, before: readCursor(undefined), limit: 1 })
        if (delivery === undefined) throw eventError('WEBHOOK_DELIVERY_UNKNOWN')
        return { delivery, attempts: await listAttempts(tx, id, eventId) }
      })
      return answer('The delivery.', {
        delivery: toWireDelivery(found.delivery),
        attempts: found.attempts.map(toWireAttempt),
      })
    },
  )

  app.post(
    '/webhook-endpoints/:id/deliveries/:eventId/replay',
    {
      config,
      schema: {
        operationId: 'replay-webhook-delivery',
        summary: 'Sends an event again, whatever became of it before',
        tags,
        params: ofDelivery,
        response: { 200: acknowledged },
      },
    },
    async (request) => {
      const { id, eventId } = request.params
      await withEnvironment(pool, callerOf(request).environmentId, async (tx) => {
        await requireEndpoint(tx, id)
        if (!(await replayOne(tx, id, eventId, clock()))) throw eventError('WEBHOOK_DELIVERY_UNKNOWN')
      })
      return acknowledge('It is sent again.')
    },
  )

  app.post(
    '/webhook-endpoints/:id/replay-failed',
    {
      config,
      schema: {
        operationId: 'replay-failed-webhook-deliveries',
        summary: 'Sends again what has failed for good since a time',
        tags,
        params: ofEndpoint,
        body: Type.Object({ since: Type.String({ format: 'date-time' }) }, { additionalProperties: false }),
        response: {
          200: enveloped(
            Type.Object({
              replayed: Type.Integer(),
              hasMore: Type.Boolean({ description: 'Whether to ask again for the rest' }),
            }),
          ),
        },
      },
    },
    async (request) => {
      const { id } = request.params
      const since = readTime(request.body.since, 'since')
      const { environmentId } = callerOf(request)
      await withEnvironment(pool, environmentId, (tx) => requireEndpoint(tx, id))
      let replayed = 0
      let some: number
      do {
        // A commit each: nobody's events can be read past one that takes long.
        some = await withEnvironment(pool, environmentId, (tx) =>
          replayFailed(tx, id, { since, limit: replayMax }, clock()),
        )
        replayed += some
      } while (some === replayMax && replayed < 10 * replayMax)
      return answer('They are sent again.', { replayed, hasMore: some === replayMax })
    },
  )
}
