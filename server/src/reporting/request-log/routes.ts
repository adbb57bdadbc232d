import Type from 'typebox'
import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, staff } from '../../http/endpoint.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { continueAt, cursorQuery, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import { requestLogError } from './errors.ts'
import {
  findRequest,
  findRequests,
  type ListedRequest,
  type LoggedRequest,
  readIntegrationSteps,
  statusClasses,
} from './store.ts'
import {
  integrationSteps,
  wireChecklist,
  type WireLoggedRequest,
  type WireLoggedRequestDetail,
  wireLoggedRequestDetail,
  wireLoggedRequests,
} from './wire.ts'

type RequestLogTools = { readonly pool: Pool; readonly clock: Clock }

const uuid = Type.String({ format: 'uuid' })
const filters = {
  status: Type.Optional(Type.Enum(statusClasses)),
  route: Type.Optional(Type.String({ maxLength: 200 })),
  keyId: Type.Optional(uuid),
  reference: Type.Optional(Type.String({ maxLength: 128 })),
  id: Type.Optional(uuid),
}

/** The request log, and how far the merchant's integration is. */
export function registerRequestLogRoutes(server: Server, { pool, clock }: RequestLogTools): void {
  const api = endpoints(server)

  api.get('/merchant/requests', staff('developer'), {
    querystring: Type.Object({ ...cursorQuery, ...filters }),
    response: { 200: enveloped(wireLoggedRequests) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit, ...filter } = request.query
      const place = { before: readCursor(cursor), at: clock() }
      const { requests, next } = await withEnvironment(pool, environmentId, (tx) =>
        findRequests(tx, environmentId, filter, place, limit),
      )
      return answer('Requests with your keys, newest first.', {
        requests: requests.map(toWireRequest),
        ...continueAt(next),
      })
    },
  })

  api.get('/merchant/requests/:id', staff('developer'), {
    params: Type.Object({ id: uuid }),
    response: { 200: enveloped(wireLoggedRequestDetail) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const found = await withEnvironment(pool, environmentId, (tx) =>
        findRequest(tx, environmentId, request.params.id, clock()),
      )
      if (found === undefined) throw requestLogError('REQUEST_UNKNOWN')
      return answer('The request.', toWireDetail(found))
    },
  })

  api.get('/merchant/integration-checklist', staff('developer'), {
    response: { 200: enveloped(wireChecklist) },
    handler: async (request) => {
      const done = await readIntegrationSteps(pool, callerOf(request).merchantId, clock())
      return answer('The steps of your integration.', {
        steps: integrationSteps.map((step) => ({ step, isDone: done.has(step) })),
      })
    },
  })
}

function toWireRequest({ createdAt, ...request }: ListedRequest): WireLoggedRequest {
  return { ...request, createdAt: createdAt.toISOString() }
}

function toWireDetail({ createdAt, ...request }: LoggedRequest): WireLoggedRequestDetail {
  return { ...request, createdAt: createdAt.toISOString() }
}
