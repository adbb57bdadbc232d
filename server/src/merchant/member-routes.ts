import Type from 'typebox'
import { callerOf } from '../http/caller.ts'
import { closed, endpoints, staff } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { cursorQuery, nextCursorOf, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { listActs } from '../user/acts.ts'
import type { LinkTools } from '../user/links.ts'
import { confirmAct, type PinTools } from '../user/pin.ts'
import { wirePin } from '../user/routes.ts'
import { signedOf } from '../user/session.ts'
import { changeMember, inviteMember, listMembers, listMemberships } from './members.ts'

const role = Type.Union((['owner', 'developer', 'cashier', 'accountant'] as const).map((each) => Type.Literal(each)))
const pin = Type.Optional(wirePin)

/** What a merchant's owner does about the staff. Each of them confirms who he is. */
export function registerMemberRoutes(server: Server, tools: LinkTools & PinTools): void {
  const api = endpoints(server)
  const { pool } = tools
  api.get('/me/merchants', 'person', async (request) => {
    const { person, tillOf } = signedOf(request)
    return answer('Where you work.', { merchants: await listMemberships(pool, person.id, tillOf) })
  })
  api.get('/merchant/members', staff(), async (request) =>
    answer('Your staff.', { members: await listMembers(pool, callerOf(request).merchantId) }),
  )
  api.post('/merchant/members', staff(), {
    body: closed({ email: Type.String({ format: 'email', maxLength: 254 }), role, pin }),
    handler: async (request) => {
      await confirmAct(tools, signedOf(request), request.body.pin)
      await inviteMember(tools, callerOf(request).merchantId, request.body)
      return acknowledge('The invitation is on its way.')
    },
  })
  api.post('/merchant/members/:id', staff(), {
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    body: closed({ role: Type.Union([role, Type.Literal('none')]), pin }),
    handler: async (request) => {
      await confirmAct(tools, signedOf(request), request.body.pin)
      await changeMember(tools, callerOf(request).merchantId, request.params.id.toLowerCase(), request.body.role)
      return acknowledge('Changed.')
    },
  })
  api.get('/merchant/acts', staff(), {
    querystring: Type.Object(cursorQuery),
    handler: async (request) => {
      const { cursor, limit } = request.query
      const acts = await listActs(pool, callerOf(request).merchantId, readCursor(cursor), limit)
      return answer('Who did what, newest first.', { acts, nextCursor: nextCursorOf(acts, limit) })
    },
  })
}
