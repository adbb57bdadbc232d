import Type from 'typebox'
import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, staff } from '../../http/endpoint.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import type { Server } from '../../http/server.ts'
import { endSessionAt, endSessionsAt, listSessionsAt, type Session } from '../user/session-store.ts'
import { signedOf } from '../user/session.ts'
import { merchantError } from './errors.ts'
import { listMembers } from './members.ts'
import { type WireMemberSessions, wireMemberSessions } from './wire.ts'

const id = Type.String({ format: 'uuid' })
const byMember = Type.Object({ id })

type Tools = { readonly pool: Pool; readonly clock: Clock }

/** The sessions of staff members. Ending them takes rights away and grants none, so it needs no second factor. */
export function registerMemberSessionRoutes(server: Server, { pool, clock }: Tools): void {
  const api = endpoints(server)

  /** The id of a member of this merchant. Users of others are not found. */
  async function readMember(merchantId: string, userId: string): Promise<string> {
    const member = (await listMembers(pool, merchantId)).find((each) => each.id === userId.toLowerCase())
    if (member === undefined) throw merchantError('MEMBER_NOT_FOUND')
    return member.id
  }

  api.get('/merchant/members/:id/sessions', staff(), {
    params: byMember,
    response: { 200: enveloped(wireMemberSessions) },
    handler: async (request) => {
      const { merchantId } = callerOf(request)
      const userId = await readMember(merchantId, request.params.id)
      const sessions = await listSessionsAt(pool, userId, merchantId, clock())
      const { sessionId } = signedOf(request)
      return answer('The sessions.', { sessions: sessions.map((session) => toWireSession(session, sessionId)) })
    },
  })

  api.post('/merchant/members/:id/sessions/end', staff(), {
    params: byMember,
    handler: async (request) => {
      const { merchantId } = callerOf(request)
      await endSessionsAt(pool, await readMember(merchantId, request.params.id), merchantId)
      return acknowledge('All sessions have ended.')
    },
  })

  api.post('/merchant/members/:id/sessions/:sessionId/end', staff(), {
    params: Type.Object({ id, sessionId: id }),
    handler: async (request) => {
      const { merchantId } = callerOf(request)
      const userId = await readMember(merchantId, request.params.id)
      const hasEnded = await endSessionAt(pool, userId, merchantId, request.params.sessionId.toLowerCase())
      if (!hasEnded) throw merchantError('SESSION_NOT_FOUND')
      return acknowledge('The session has ended.')
    },
  })
}

function toWireSession(session: Session, own: string): WireMemberSessions['sessions'][number] {
  const { id, userAgent, createdAt, expiresAt, tillOf, passkeyAt } = session
  return {
    id,
    userAgent: userAgent ?? '',
    startedAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    isTill: tillOf !== null,
    hasPasskey: passkeyAt !== null,
    isThis: id === own,
  }
}
