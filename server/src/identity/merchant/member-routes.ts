import Type from 'typebox'
import { callerOf } from '../../http/caller.ts'
import { endpoints, namingInActs, staff } from '../../http/endpoint.ts'
import { roles } from '../../http/role.ts'
import { closed } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { type CreateLimit, refuseAbove } from '../../http/limit.ts'
import type { Server } from '../../http/server.ts'
import { type Invitation, listInvitations, type LinkTools } from '../user/links.ts'
import { wireOneTimeCode, wirePin } from '../user/routes.ts'
import type { ConfirmOwner } from '../user/second-factor.ts'
import { signedOf } from '../user/session.ts'
import { resendInvitation, withdrawInvitation } from './invitations.ts'
import { registerMemberSessionRoutes } from './member-session-routes.ts'
import { changeMember, inviteMember, listMembers, listMemberships, type Member } from './members.ts'
import { type WireMember, type WireTeam, wireTeam, wireWorkplaces } from './wire.ts'

const role = Type.Union(roles.map((each) => Type.Literal(each)))
const email = Type.String({ format: 'email', maxLength: 254 })
const confirmation = { pin: Type.Optional(wirePin), oneTimeCode: Type.Optional(wireOneTimeCode) }
const hourMs = 3_600_000
// Emails to addresses that an owner enters, per merchant.
const invitationsAnHour = 60

type Tools = LinkTools & { readonly confirmOwner: ConfirmOwner; readonly createLimit: CreateLimit }

/** Staff management by the owner. Roles apply in live mode too, so what grants rights requires the second factor. */
export function registerMemberRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server)
  const { pool, clock } = tools
  const invitations = tools.createLimit('invitation', invitationsAnHour, hourMs)
  registerMemberSessionRoutes(server, tools)

  api.get('/me/merchants', 'user', {
    response: { 200: enveloped(wireWorkplaces) },
    handler: async (request) => {
      const { user, tillOf } = signedOf(request)
      return answer('The merchants you work for.', { merchants: await listMemberships(pool, user.id, tillOf) })
    },
  })
  api.get('/merchant/members', staff(), {
    response: { 200: enveloped(wireTeam) },
    handler: async (request) => {
      const { merchantId, memberId } = callerOf(request)
      const members = await listMembers(pool, merchantId)
      const open = await listInvitations(pool, merchantId, clock())
      return answer('Your staff.', {
        members: members.map((member) => toWireMember(member, memberId)),
        invitations: open.map(toWireInvitation),
      })
    },
  })
  api.post('/merchant/members', namingInActs(staff(), 'email', 'role'), {
    body: closed({ email, role, ...confirmation }),
    handler: async (request) => {
      const { merchantId } = callerOf(request)
      await tools.confirmOwner(request, 'both', request.body)
      refuseAbove(await invitations.count(merchantId))
      await inviteMember(tools, merchantId, { email: request.body.email, role: request.body.role })
      return acknowledge('Invitation sent.')
    },
  })
  api.post('/merchant/members/:id', namingInActs(staff(), 'role'), {
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    body: closed({ role: Type.Union([role, Type.Literal('none')]), ...confirmation }),
    handler: async (request) => {
      await tools.confirmOwner(request, 'both', request.body)
      await changeMember(tools, callerOf(request).merchantId, request.params.id.toLowerCase(), request.body.role)
      return acknowledge('Changed.')
    },
  })
  // The role was confirmed when the member was invited.
  api.post('/merchant/invitations/resend', namingInActs(staff(), 'email'), {
    body: closed({ email }),
    handler: async (request) => {
      const { merchantId } = callerOf(request)
      refuseAbove(await invitations.count(merchantId))
      await resendInvitation(tools, merchantId, request.body.email)
      return acknowledge('Invitation sent again.')
    },
  })
  api.post('/merchant/invitations/withdraw', namingInActs(staff(), 'email'), {
    body: closed({ email }),
    handler: async (request) => {
      await withdrawInvitation(tools, callerOf(request).merchantId, request.body.email)
      return acknowledge('Invitation withdrawn.')
    },
  })
}

function toWireMember({ since, lastSeenAt, ...member }: Member, me: string | undefined): WireMember {
  return {
    ...member,
    since: since.toISOString(),
    lastSeenAt: lastSeenAt?.toISOString() ?? '',
    isYou: member.id === me,
  }
}

function toWireInvitation({ email, role, invitedAt, expiresAt }: Invitation): WireTeam['invitations'][number] {
  return { email, role, invitedAt: invitedAt.toISOString(), expiresAt: expiresAt.toISOString() }
}
