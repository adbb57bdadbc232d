import Type from 'typebox'
import { closed, endpoints } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { cursorQuery, nextCursorOf, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { listActs } from './acts.ts'
import { userError } from './errors.ts'
import { confirmAct, type PinTools } from './pin.ts'
import { wirePin } from './routes.ts'
import { signedOf } from './session.ts'
import { findPerson, setStanding } from './store.ts'

export function registerOperatorRoutes(server: Server, tools: PinTools): void {
  const api = endpoints(server)
  const { pool } = tools
  api.get('/operator/acts', 'operator', {
    querystring: Type.Object(cursorQuery),
    handler: async (request) => {
      const { cursor, limit } = request.query
      const acts = await listActs(pool, undefined, readCursor(cursor), limit)
      return answer('Who did what, newest first.', { acts, nextCursor: nextCursorOf(acts, limit) })
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
      const person = await findPerson(pool, realm, identifier, 'any')
      if (person === undefined) throw userError('USER_NOT_FOUND')
      await setStanding(pool, person.id, standing)
      return acknowledge('Noted.')
    },
  })
}
