import Type from 'typebox'
import { callerOf } from '../http/caller.ts'
import { closed, endpoints, staff } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { cursorQuery, nextCursorOf, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { listActs } from '../user/acts.ts'
import type { LinkTools } from '../user/links.ts'
import { wireOneTimeCode, wirePin } from '../user/routes.ts'
import type { ConfirmOwner } from '../user/second-factor.ts'
import { signedOf } from '../user/session.ts'
import { changeMember, inviteMember, listMembers, listMemberships } from './members.ts'

const role = Type.Union((['owner', 'developer', 'cashier', 'accountant'] as const).map((each) => Type.Literal(each)))
const confirmation = { pin: Type.Optional(wirePin), oneTimeCode: Type.Optional(wireOneTimeCode) }

type Tools = LinkTools & { readonly confirmOwner: ConfirmOwner }

/** What a merchant's owner does about the staff. Roles count in live mode too, so each change needs the second factor. */
export function registerMemberRoutes(server: Server, tools: Tools): void {
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
    body: closed({ email: Type.String({ format: 'email', maxLength: 254 }), role, ...confirmation }),
    handler: async (request) => {
      const { email, role: wanted } = request.body
      await tools.confirmOwner(request, 'both', request.body)
      await inviteMember(tools, callerOf(request).merchantId, { email, role: wanted })
      return acknowledge('The invitation is on its way.')
    },
  })
  api.post('/merchant/members/:id', staff(), {
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    body: closed({ role: Type.Union([role, Type.Literal('none')]), ...confirmation }),
    handler: async (request) => {
      await tools.confirmOwner(request, 'both', request.body)
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
