import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { callerOf, idempotencyKeyOf } from '../../http/caller.ts'
import { answers, endpoints, secretKey } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { idempotencyHeader, markReplayed, refuseTakenKey } from '../../http/idempotency.ts'
import { continueAt, cursorFields, cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import { readTime } from '../../http/validation.ts'
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
import { toWireAttempt, toWireDelivery, toWireEndpoint } from './webhook-to-wire.ts'
import { wireAttempt, wireDelivery, wireEndpoint } from './wire.ts'
import { listAttempts, listDeliveries, listEndpoints, replayFailed, replayOne } from './webhook-store.ts'

const uuid = Type.String({ format: 'uuid' })
const replayMax = 1_000
const ofEndpoint = Type.Object({ id: uuid })
const ofDelivery = Type.Object({ id: uuid, eventId: uuid })

const url = Type.String({ minLength: 1, maxLength: 2_000, description: 'https; in test mode http as well' })
const eventTypes = Type.Array(Type.String({ maxLength: 100 }), {
  maxItems: 100,
  description: 'For example voucher.redeemed, or voucher.* for all voucher events. Empty for all events',
})
const description = Type.String({ maxLength: 200 })
const secret = Type.String({ description: 'Shown only once. Verifies deliveries as specified by Standard Webhooks' })

export function registerWebhookRoutes(server: Server, tools: WebhookTools): void {
  const api = endpoints(server, ['Events and webhooks'])
  const { pool, clock } = tools

  api.post('/webhook-endpoints', secretKey('developer'), {
    operationId: 'create-webhook-endpoint',
    summary: 'Create a webhook endpoint',
    description: 'The endpoint receives events from now on.',
    headers: idempotencyHeader,
    body: closed({ url, eventTypes: Type.Optional(eventTypes), description: Type.Optional(description) }),
    response: answers({ endpoint: wireEndpoint, secret }),
    handler: async (request, reply) => {
      const { url: to, eventTypes: types = [], description: about = '' } = request.body
      const terms = { url: to, eventTypes: types, description: about }
      const made = await createEndpoint(tools, callerOf(request), terms, idempotencyKeyOf(request)).catch(
        refuseTakenKey,
      )
      markReplayed(reply, made)
      return answer('Keep the secret: it is not shown again.', {
        endpoint: toWireEndpoint(made.endpoint),
        secret: made.secret,
      })
    },
  })

  api.get('/webhook-endpoints', secretKey('developer'), {
    operationId: 'list-webhook-endpoints',
    summary: 'List webhook endpoints',
    description: 'All of them, at most 50.',
    response: { 200: Type.Object({ ...enveloped(Type.Array(wireEndpoint)).properties, ...cursorFields }) },
    handler: async (request) => {
      const endpoints = await withEnvironment(pool, callerOf(request).environmentId, listEndpoints)
      // Beside the data, which is an array.
      return { ...answer('Your webhook endpoints.', endpoints.map(toWireEndpoint)), ...continueAt('') }
    },
  })

  api.get('/webhook-endpoints/:id', secretKey('developer'), {
    operationId: 'fetch-webhook-endpoint',
    summary: 'Get a webhook endpoint',
    params: ofEndpoint,
    response: { 200: enveloped(wireEndpoint) },
    handler: async (request) => {
      const endpoint = await withEnvironment(pool, callerOf(request).environmentId, (tx) =>
        requireEndpoint(tx, request.params.id),
      )
      return answer('The webhook endpoint.', toWireEndpoint(endpoint))
    },
  })

  api.post('/webhook-endpoints/:id', secretKey('developer'), {
    operationId: 'update-webhook-endpoint',
    summary: 'Update a webhook endpoint',
    description: 'Changes only the fields you send.',
    params: ofEndpoint,
    body: closed({
      url: Type.Optional(url),
      eventTypes: Type.Optional(eventTypes),
      description: Type.Optional(description),
      isEnabled: Type.Optional(Type.Boolean({ description: 'Enabling sends its pending deliveries' })),
    }),
    response: { 200: enveloped(wireEndpoint) },
    handler: async (request) => {
      const { isEnabled, ...terms } = request.body
      const status = isEnabled === undefined ? undefined : isEnabled ? 'enabled' : 'disabled'
      const change = { ...terms, ...(status !== undefined && ({ status } as const)) }
      const endpoint = await updateEndpoint(tools, callerOf(request), request.params.id, change)
      return answer('The webhook endpoint.', toWireEndpoint(endpoint))
    },
  })

  api.delete('/webhook-endpoints/:id', secretKey('developer'), {
    operationId: 'delete-webhook-endpoint',
    summary: 'Delete a webhook endpoint',
    params: ofEndpoint,
    handler: async (request) => {
      await deleteEndpoint(tools, callerOf(request), request.params.id)
      return acknowledge('It is deleted.')
    },
  })

  api.post('/webhook-endpoints/:id/rotate-secret', secretKey('developer'), {
    operationId: 'rotate-webhook-secret',
    summary: 'Rotate the secret of a webhook endpoint',
    description: 'For 24 hours, deliveries are signed with both the old and the new secret.',
    params: ofEndpoint,
    response: answers({ secret }),
    handler: async (request) =>
      answer('Keep the secret: it is not shown again.', {
        secret: await rotateSecret(tools, callerOf(request), request.params.id),
      }),
  })

  api.post('/webhook-endpoints/:id/test', secretKey('developer'), {
    operationId: 'test-webhook-endpoint',
    summary: 'Send a test event',
    description: 'Sends merchant.webhook_test to the endpoint.',
    params: ofEndpoint,
    response: answers({ eventId: uuid }),
    handler: async (request) =>
      answer('On its way: see its delivery.', {
        eventId: await testEndpoint(tools, callerOf(request), request.params.id),
      }),
  })

  api.get('/webhook-endpoints/:id/deliveries', secretKey('developer'), {
    operationId: 'list-webhook-deliveries',
    summary: 'List deliveries',
    description: 'Newest first.',
    params: ofEndpoint,
    querystring: Type.Object({ ...cursorQuery, status: Type.Optional(wireDelivery.properties.status) }),
    response: answers({ deliveries: Type.Array(wireDelivery), ...cursorFields }),
    handler: async (request) => {
      const { cursor, limit, status } = request.query
      const found = await withEnvironment(pool, callerOf(request).environmentId, async (tx) => {
        const { id } = await requireEndpoint(tx, request.params.id)
        return listDeliveries(tx, id, { status, before: readCursor(cursor), limit: limit + 1 })
      })
      const { page, continuation } = cutPage(found, limit)
      return answer('The deliveries.', { deliveries: page.map(toWireDelivery), ...continuation })
    },
  })

  api.get('/webhook-endpoints/:id/deliveries/:eventId', secretKey('developer'), {
    operationId: 'fetch-webhook-delivery',
    summary: 'Get a delivery',
    description: 'Every attempt to deliver one event.',
    params: ofDelivery,
    response: answers({ delivery: wireDelivery, attempts: Type.Array(wireAttempt) }),
    handler: async (request) => {
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
  })

  api.post('/webhook-endpoints/:id/deliveries/:eventId/replay', secretKey('developer'), {
    operationId: 'replay-webhook-delivery',
    summary: 'Replay a delivery',
    description: 'Sends the event again, in any state.',
    params: ofDelivery,
    handler: async (request) => {
      const { id, eventId } = request.params
      await withEnvironment(pool, callerOf(request).environmentId, async (tx) => {
        await requireEndpoint(tx, id)
        if (!(await replayOne(tx, id, eventId, clock()))) throw eventError('WEBHOOK_DELIVERY_UNKNOWN')
      })
      return acknowledge('It is sent again.')
    },
  })

  api.post('/webhook-endpoints/:id/replay-failed', secretKey('developer'), {
    operationId: 'replay-failed-webhook-deliveries',
    summary: 'Replay failed deliveries',
    description: 'Sends all deliveries again that have failed permanently since a time.',
    params: ofEndpoint,
    body: closed({ since: Type.String({ format: 'date-time' }) }),
    response: answers({
      replayed: Type.Integer(),
      hasMore: Type.Boolean({ description: 'Whether to call again for the rest' }),
    }),
    handler: async (request) => {
      const { id } = request.params
      const since = readTime(request.body.since, 'since')
      const { environmentId } = callerOf(request)
      await withEnvironment(pool, environmentId, (tx) => requireEndpoint(tx, id))
      let replayed = 0
      let some: number
      do {
        // Commit in pages: a long transaction would hold back everyone's events.
        some = await withEnvironment(pool, environmentId, (tx) =>
          replayFailed(tx, id, { since, limit: replayMax }, clock()),
        )
        replayed += some
      } while (some === replayMax && replayed < 10 * replayMax)
      return answer('They are sent again.', { replayed, hasMore: some === replayMax })
    },
  })
}
