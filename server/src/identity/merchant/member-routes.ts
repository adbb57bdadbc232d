import Type from 'typebox'
import { callerOf } from '../../http/caller.ts'
import { answers, endpoints, staff } from '../../http/endpoint.ts'
import { roles } from '../../http/role.ts'
import { closed } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import { listActs } from '../user/acts.ts'
import type { LinkTools } from '../user/links.ts'
import { toWireAct } from '../user/operator-routes.ts'
import { wireActs } from '../user/operator-wire.ts'
import { wireOneTimeCode, wirePin } from '../user/routes.ts'
import type { ConfirmOwner } from '../user/second-factor.ts'
import { signedOf } from '../user/session.ts'
import { changeMember, inviteMember, listMembers, listMemberships, type Member } from './members.ts'
import { type WireMember, wireMember, wireWorkplaces } from './wire.ts'

const role = Type.Union(roles.map((each) => Type.Literal(each)))
const confirmation = { pin: Type.Optional(wirePin), oneTimeCode: Type.Optional(wireOneTimeCode) }

type Tools = LinkTools & { readonly confirmOwner: ConfirmOwner }

/** Staff management by the owner. Roles apply in live mode too, so each change requires the second factor. */
export function registerMemberRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server)
  const { pool } = tools
  api.get('/me/merchants', 'user', {
    response: { 200: enveloped(wireWorkplaces) },
    handler: async (request) => {
      const { user, tillOf } = signedOf(request)
      return answer('The merchants you work for.', { merchants: await listMemberships(pool, user.id, tillOf) })
    },
  })
  api.get('/merchant/members', staff(), {
    response: answers({ members: Type.Array(wireMember) }),
    handler: async (request) => {
      const members = await listMembers(pool, callerOf(request).merchantId)
      return answer('Your staff.', { members: members.map(toWireMember) })
    },
  })
  api.post('/merchant/members', staff(), {
    body: closed({ email: Type.String({ format: 'email', maxLength: 254 }), role, ...confirmation }),
    handler: async (request) => {
      const { email, role: wanted } = request.body
      await tools.confirmOwner(request, 'both', request.body)
      await inviteMember(tools, callerOf(request).merchantId, { email, role: wanted })
      return acknowledge('Invitation sent.')
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
    response: { 200: enveloped(wireActs) },
    handler: async (request) => {
      const { cursor, limit } = request.query
      const found = await listActs(pool, callerOf(request).merchantId, readCursor(cursor), limit + 1)
      const { page, continuation } = cutPage(found, limit)
      return answer('The audit log, newest first.', { acts: page.map(toWireAct), ...continuation })
    },
  })
}

function toWireMember(member: Member): WireMember {
  return { ...member, since: member.since.toISOString() }
}
