import type { FastifyRequest } from 'fastify'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { Db } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'
import { noteFailure, noteSuccess } from '../../base/outage.ts'
import { orNull } from '../../base/column-type.ts'
import { list, type RowOf, select, sql } from '../../base/sql.ts'
import { findCaller } from '../../http/caller.ts'
import type { StreamEvent } from '../../http/event-stream.ts'
import { findSigned } from '../../identity/user/session.ts'

/** Wraps the source of a stream so that the stream ends with the credential of its request. */
export type EndWithCredential = (request: FastifyRequest, source: Source) => Source
type Source = (signal: AbortSignal) => AsyncGenerator<StreamEvent | null>

const sessionColumns = list({
  sessionId: sql.uuid`w.session_id`,
  merchantId: orNull(sql.uuid)`w.merchant_id`,
  role: orNull(sql.text)`w.role`,
})
type SessionCredential = RowOf<typeof sessionColumns>

/** The credential that opened a stream. */
type Credential = { readonly keyIds: readonly string[] } | SessionCredential

const checking = {
  name: 'The check of streams',
  failing: 'streams cannot be checked for revoked credentials',
}
// A stream ends within 5 s of its credential, even if a check is slow.
const everyMs = 2_000

/**
 * Ends streams whose key was revoked, whose session ended, or whose staff member lost the role. Each check takes two queries, however
 * many streams are open.
 */
export function createRevocations(db: Db, clock: Clock, log: Log): EndWithCredential {
  const open = new Map<AbortController, Credential>()
  let timer: NodeJS.Timeout | undefined

  async function check(): Promise<void> {
    try {
      const endings = await findEnded(db, [...open], clock())
      noteSuccess(log, checking)
      for (const stream of endings) stream.abort()
    } catch (error) {
      noteFailure(log, checking, error)
    }
    timer = open.size === 0 ? undefined : setTimeout(() => void check(), everyMs).unref()
  }

  return (request, source) => {
    const credential = credentialOf(request)
    return (signal) => {
      const revoked = new AbortController()
      open.set(revoked, credential)
      signal.addEventListener('abort', () => open.delete(revoked))
      timer ??= setTimeout(() => void check(), everyMs).unref()
      return source(AbortSignal.any([signal, revoked.signal]))
    }
  }
}

function credentialOf(request: FastifyRequest): Credential {
  const caller = findCaller(request)
  const signed = findSigned(request)
  if (signed === undefined) return { keyIds: caller?.keyIds ?? [] }
  // A till session always acts as a cashier, so a change of the user's role does not end it.
  const role = signed.tillOf === null ? (caller?.role ?? null) : null
  return { sessionId: signed.sessionId, merchantId: caller?.merchantId ?? null, role }
}

async function findEnded(
  db: Db,
  open: readonly (readonly [AbortController, Credential])[],
  at: Date,
): Promise<AbortController[]> {
  const keyIds = open.flatMap(([, credential]) => ('keyIds' in credential ? credential.keyIds : []))
  const sessions = open.flatMap(([, credential]) => ('keyIds' in credential ? [] : [credential]))
  const keys = keyIds.length === 0 ? [] : await listWorkingKeys(db, keyIds, at)
  const working = new Set([...keys, ...(sessions.length === 0 ? [] : await listWorkingSessions(db, sessions))])
  return open.flatMap(([stream, credential]) => {
    const names = 'keyIds' in credential ? credential.keyIds : [nameOf(credential)]
    return names.every((name) => working.has(name)) ? [] : [stream]
  })
}

function nameOf({ sessionId, merchantId, role }: SessionCredential): string {
  return `${sessionId} ${merchantId ?? ''} ${role ?? ''}`
}

async function listWorkingKeys(db: Db, keyIds: readonly string[], at: Date): Promise<string[]> {
  const columns = list({ id: sql.uuid`id` })
  const rows = await select(db)`select ${columns} from working_merchant_keys(${keyIds}::uuid[], ${at}) as id`
  return rows.map(({ id }) => id)
}

/** Sessions expire by the system clock, because the sign-in library uses it. */
async function listWorkingSessions(db: Db, sessions: readonly SessionCredential[]): Promise<string[]> {
  const rows = await select(db)`
    select ${sessionColumns}
      from unnest(${sessions.map(({ sessionId }) => sessionId)}::uuid[], ${sessions.map(({ merchantId }) => merchantId)}::uuid[],
        ${sessions.map(({ role }) => role)}::text[]) as w (session_id, merchant_id, role)
      join user_sessions s on s.id = w.session_id and s.expires_at > ${systemClock()}
      join users u on u.id = s.user_id and u.is_active
      left join merchant_members m on m.merchant_id = w.merchant_id and m.user_id = s.user_id
      where w.merchant_id is null or m.role = coalesce(w.role, m.role)`
  return rows.map(nameOf)
}
