import Type from 'typebox'
import { endpoints } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import { type ListedAct, listActs } from './acts.ts'
import { userError } from './errors.ts'
import { type WireAct, wireActs } from './operator-wire.ts'
import { confirmAct, type PinTools } from './pin.ts'
import { wirePin } from './routes.ts'
import { signedOf } from './session.ts'
import { findUser, setStanding } from './store.ts'

export function registerOperatorRoutes(server: Server, tools: PinTools): void {
  const api = endpoints(server)
  const { pool } = tools
  api.get('/operator/acts', 'operator', {
    querystring: Type.Object(cursorQuery),
    response: { 200: enveloped(wireActs) },
    handler: async (request) => {
      const { cursor, limit } = request.query
      const found = await listActs(pool, readCursor(cursor), limit + 1)
      const { page, continuation } = cutPage(found, limit)
      return answer('The audit log, newest first.', { acts: page.map(toWireAct), ...continuation })
    },
  })
  api.post('/operator/people', 'operator', {
    body: closed({
      realm: Type.Union([Type.Literal('live'), Type.Literal('test'), Type.Literal('staff')]),
      identifier: Type.String({ minLength: 3, maxLength: 254 }),
      level: Type.Optional(Type.Union([Type.Literal(1), Type.Literal(2)])),
      isActive: Type.Optional(Type.Boolean()),
      pin: Type.Optional(wirePin),
    }),
    handler: async (request) => {
      const { realm, identifier, pin, ...standing } = request.body
      await confirmAct(tools, signedOf(request), pin)
      const user = await findUser(pool, realm, identifier, 'any')
      if (user === undefined) throw userError('USER_NOT_FOUND')
      await setStanding(pool, user.id, standing)
      return acknowledge('Updated.')
    },
  })
}

function toWireAct(act: ListedAct): WireAct {
  return { ...act, at: act.at.toISOString() }
}
